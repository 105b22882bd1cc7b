/* Authors: The skrank developers */
/* SPDX-License-Identifier: BSD-3-Clause */

/* A narrow window breaks long names after a dot, and nowhere else. */
document.addEventListener("DOMContentLoaded", () => {
  for (const name of document.querySelectorAll("code.xref .pre, dt .sig-prename .pre")) {
    name.innerHTML = name.innerHTML.replaceAll(".", ".<wbr>");
  }
});
