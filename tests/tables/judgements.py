"""Small judgements and a run, in several forms."""

# SPDX-License-Identifier: BSD-3-Clause

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}, "q3": {"d9": 1}}
RUN = {"q1": {"d4": 0.9, "d1": 0.5, "d3": 0.5}, "q2": {"d5": 1.0, "d1": 0.0}}
QREL_ROWS = [(q, d, g) for q, found in QRELS.items() for d, g in found.items()]
RUN_ROWS = [(q, d, s) for q, found in RUN.items() for d, s in found.items()]
QREL_COLUMNS = dict(
    zip(("qid", "doc_id", "grade"), zip(*QREL_ROWS, strict=True), strict=True)
)
RUN_COLUMNS = dict(
    zip(("qid", "doc_id", "score"), zip(*RUN_ROWS, strict=True), strict=True)
)
QREL_TEXT = "".join(f"{q} 0 {d} {g}\n" for q, d, g in QREL_ROWS)
RUN_TEXT = "".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in RUN_ROWS)


def path_of(text):
    def form(tmp_path):
        path = tmp_path / str(hash(text))
        path.write_text(text)
        return path

    return form


def rows_of(aligned):
    """Return the rows of aligned arrays as a list of tuples."""
    return list(zip(*(values.tolist() for values in aligned.values()), strict=True))
