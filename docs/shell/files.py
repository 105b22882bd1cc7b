"""Write the files of the page "Command line": judgements and two runs."""

# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

from skrank.datasets import load_digits_retrieval

digits = load_digits_retrieval(n_queries=100)
rows = list(zip(digits.qid, digits.document_index))
lines = [
    f"{qid} 0 {image} {grade}\n" for (qid, image), grade in zip(rows, digits.target)
]
Path("qrels.txt").write_text("".join(lines))
for name, power in {"pixels": 1, "squares": 2}.items():
    scores = -(digits.data**power).sum(axis=1)
    lines = [
        f"{qid} Q0 {image} 0 {score} {name}\n"
        for (qid, image), score in zip(rows, scores)
    ]
    Path(f"{name}.run").write_text("".join(lines))
