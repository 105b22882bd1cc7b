/* SPDX-License-Identifier: BSD-3-Clause */

/* "mrr" finds mrr_score first: a name, or a name and its usual ending, beats all words.
   Methods do not: who looks for "save" has a model. */
const ENDINGS = ["", "_score", "_at_k_score"];

/* Who searches wants the guide, not how it was made. */
const FOR_DEVELOPERS = /^(development|architecture|changelog|contributing)/;

function isNamed(title, query) {
  const [name, owner] = title.split(" ")[0].split(".").reverse();
  const isMethod = /^[A-Z]/.test(owner);
  return !isMethod && ENDINGS.some((ending) => name.toLowerCase() === query + ending);
}

var Scorer = {
  score: (result) => {
    const [docname, title, anchor, description, score] = result;
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    const query = asked.trim().toLowerCase().replace(/@.*$/, "").replace(/[ -]/g, "_");
    if (isNamed(title, query)) return score + 1000;
    return FOR_DEVELOPERS.test(docname) ? score - 20 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
