"""Write the files of the page "Command line": judgements and two runs."""

# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

from skrank.datasets import load_digits_retrieval

digits = load_digits_retrieval(n_queries=100)


def write(path, line, values):
    rows = zip(digits.qid, digits.document_index, values, strict=True)
    Path(path).write_text("".join(line.format(*row) for row in rows), "utf-8")


write("qrels.txt", "{} 0 {} {}\n", digits.target)
for name, power in {"pixels": 1, "squares": 2}.items():
    scores = -(digits.data**power).sum(axis=1)
    write(f"{name}.run", f"{{}} Q0 {{}} 0 {{}} {name}\n", scores)
