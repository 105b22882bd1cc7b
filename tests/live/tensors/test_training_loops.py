"""The recipes of the page on training loops, each with the numbers of arrays."""

# SPDX-License-Identifier: BSD-3-Clause

import socket

import numpy as np
import pytest
import torch

from skrank.metrics import RankingMetric, evaluate
from skrank.stats import confidence_interval
from tests.count_calls import count_all_calls

METRICS = ["ndcg@10", "mrr"]
N_QUERIES, N_DOCUMENTS, N_FEATURES = 96, 12, 5

pytestmark = pytest.mark.filterwarnings("ignore")  # of the other libraries


def draw():
    """Return features, grades and query ids, of one row per document."""
    rng = np.random.default_rng(0)
    n_rows = N_QUERIES * N_DOCUMENTS
    X = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=n_rows) > 1).astype(np.float32)
    return X, y, np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)


def make_loader(batch_size=8 * N_DOCUMENTS):
    """Return batches of whole queries."""
    data = torch.utils.data.TensorDataset(*map(torch.from_numpy, draw()))
    return torch.utils.data.DataLoader(data, batch_size=batch_size)


def make_model():
    torch.manual_seed(0)
    layer = torch.nn.Linear(N_FEATURES, 1)
    return torch.nn.Sequential(layer, torch.nn.Flatten(0))


@torch.no_grad()
def expected_of(model):
    """Return the values of all rows at once."""
    X, y, qid = draw()
    return evaluate(y, model(torch.from_numpy(X)).numpy(), METRICS, qid=qid)


def test_a_loop_of_pytorch():
    model, loader, metric = make_model(), make_loader(), RankingMetric(METRICS)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    values = []
    for _ in range(3):
        for X, y, _ in loader:
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(X), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        metric.reset()
        for X, y, qid in loader:
            metric.update(y, model(X), qid)  # with gradients
        values.append(metric.compute())
        assert values[-1] == expected_of(model)
    assert values[-1]["ndcg@10"] > values[0]["ndcg@10"]
    interval = confidence_interval(metric.scores)
    assert "ndcg@10" in str(interval)


def test_rows_in_any_order():
    model, metric = make_model(), RankingMetric(METRICS, queries="split")
    data = make_loader().dataset
    generator = torch.Generator().manual_seed(0)
    loader = torch.utils.data.DataLoader(data, 50, shuffle=True, generator=generator)
    for X, y, qid in loader:
        metric.update(y, model(X).bfloat16().float(), qid)
    X, y, qid = draw()
    with torch.no_grad():
        scores = model(torch.from_numpy(X)).bfloat16()
    assert metric.compute() == evaluate(y, scores, METRICS, qid=qid)


def test_matrices_of_candidates():
    model, metric = make_model(), RankingMetric(METRICS)
    shape = N_QUERIES, N_DOCUMENTS
    X, y, _ = map(torch.from_numpy, draw())
    scores, grades = model(X).reshape(shape), y.reshape(shape)
    ids = torch.arange(N_QUERIES)
    for rows in ids.split(10):
        metric.update(grades[rows], scores[rows], rows)
    assert metric.compute() == pytest.approx(expected_of(model), abs=1e-12)


def rank_process(rank, port, queue, n_rows):
    """Evaluate every second sample, and gather the metrics of both processes."""
    import torch.distributed as dist

    torch.set_num_threads(1)
    address = f"tcp://127.0.0.1:{port}"
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    data = torch.utils.data.Subset(make_loader().dataset, range(n_rows))
    sampler = torch.utils.data.DistributedSampler(data, shuffle=False)
    loader = torch.utils.data.DataLoader(data, batch_size=20, sampler=sampler)
    model, metric = make_model(), RankingMetric(METRICS, queries="split")
    with torch.no_grad():
        for X, y, qid in loader:
            metric.update(y, model(X), qid)
    gathered = [None, None]
    dist.all_gather_object(gathered, metric)
    first, second = gathered
    queue.put(first.merge(second).compute())
    dist.barrier()
    dist.destroy_process_group()


def test_two_processes_have_the_values_of_all_rows():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = torch.multiprocessing.get_context("spawn")
    queue = context.Queue()
    n_rows = N_QUERIES * N_DOCUMENTS
    processes = [
        context.Process(target=rank_process, args=(rank, port, queue, n_rows))
        for rank in range(2)
    ]
    for process in processes:
        process.start()
    try:
        found = [queue.get(timeout=120) for _ in processes]
    finally:
        for process in processes:
            process.join(timeout=30)
    expected = expected_of(make_model())
    assert found == [expected, expected]


def test_lightning():
    lightning = pytest.importorskip("pytorch_lightning")

    class Ranker(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = make_model()
            self.metric = RankingMetric(METRICS)

        def training_step(self, batch, index):
            X, y, _ = batch
            logits = self.model(X)
            return torch.nn.functional.binary_cross_entropy_with_logits(logits, y)

        def validation_step(self, batch, index):
            X, y, qid = batch
            self.metric.update(y, self.model(X), qid)

        def on_validation_epoch_end(self):
            self.log_dict(self.metric.compute())
            self.metric.reset()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.5)

    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    ranker = Ranker()
    trainer.fit(ranker, make_loader(), make_loader())
    logged = {name: trainer.callback_metrics[name].item() for name in METRICS}
    assert logged == pytest.approx(expected_of(ranker.model), rel=1e-6)  # in float32


def test_ignite():
    engine = pytest.importorskip("ignite.engine")
    model, metric = make_model(), RankingMetric(METRICS)

    def evaluate_batch(_, batch):
        X, y, qid = batch
        with torch.no_grad():
            metric.update(y, model(X), qid)

    evaluator = engine.Engine(evaluate_batch)

    @evaluator.on(engine.Events.EPOCH_STARTED)
    def start(_):
        metric.reset()

    @evaluator.on(engine.Events.EPOCH_COMPLETED)
    def finish(evaluator):
        evaluator.state.metrics = metric.compute()

    state = evaluator.run(make_loader(), max_epochs=2)
    assert state.metrics == expected_of(model)


def test_keras(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    keras = pytest.importorskip("keras")
    X, y, qid = draw()

    class Validation(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            scores = self.model.predict(X, verbose=0)[:, 0]
            logs.update(evaluate(y, scores, METRICS, qid=qid))

    model = keras.Sequential([keras.layers.Dense(1)])
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.5), loss)
    history = model.fit(X, y, epochs=2, verbose=0, callbacks=[Validation()]).history
    scores = model.predict(X, verbose=0)[:, 0]
    expected = evaluate(y, scores, METRICS, qid=qid)
    assert {name: history[name][-1] for name in METRICS} == expected


def test_compute_metrics_of_hugging_face(tmp_path):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    _, y, qid = draw()

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = make_model()

        def forward(self, features, labels):
            logits = self.model(features)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels)
            return {"loss": loss, "logits": logits}

    def compute_metrics(prediction):
        return evaluate(prediction.label_ids, prediction.predictions, METRICS, qid=qid)

    X = torch.from_numpy(draw()[0])
    rows = [
        {"features": one, "labels": grade}
        for one, grade in zip(X, torch.from_numpy(y), strict=True)
    ]
    model = Model()
    trainer = transformers.Trainer(
        model,
        transformers.TrainingArguments(
            str(tmp_path), use_cpu=True, report_to=[], disable_tqdm=True
        ),
        eval_dataset=rows,
        compute_metrics=compute_metrics,
    )
    found = trainer.evaluate()
    expected = expected_of(model.model)
    # The batches of the trainer have other sums, in float32.
    for name, value in expected.items():
        assert found[f"eval_{name}"] == pytest.approx(value, rel=1e-3)


def test_logits_have_the_values_of_their_probabilities():
    retrieval = pytest.importorskip("torchmetrics.retrieval")
    logits = torch.randn(400, generator=torch.Generator().manual_seed(0)).double()
    grades, qid = torch.arange(400) % 5 == 0, torch.arange(40).repeat_interleave(10)
    values = []
    for scores in (logits, logits.sigmoid()):
        ours = evaluate(grades, scores, "map", qid=qid)["map"]
        theirs = retrieval.RetrievalMAP()(scores, grades, indexes=qid).item()
        values.append((ours, theirs))
    (ours, of_logits), (again, of_probabilities) = values
    assert ours == again == pytest.approx(of_probabilities, abs=1e-6)
    assert abs(of_logits - of_probabilities) > 0.01


def test_it_has_the_value_of_torchmetrics_with_fewer_calls_than_queries():
    retrieval = pytest.importorskip("torchmetrics.retrieval")
    n_queries, n_documents, n_batches = 8000, 40, 100
    generator = torch.Generator().manual_seed(0)
    shape = n_queries * n_documents
    y = torch.randint(0, 3, (shape,), generator=generator)
    scores = torch.rand(shape, generator=generator)
    qid = torch.arange(n_queries).repeat_interleave(n_documents)
    batches = [data.split(shape // n_batches) for data in (y, scores, qid)]
    ours = RankingMetric("ndcg@10", gain="linear")
    theirs = retrieval.RetrievalNormalizedDCG(top_k=10)
    values = []

    def measure():
        for batch in zip(*batches, strict=True):
            ours.update(*batch)
        values.append(ours.compute()["ndcg@10"])

    # torchmetrics ranks each query by itself.
    assert count_all_calls(measure).total() < n_queries
    for grades, predicted, ids in zip(*batches, strict=True):
        theirs.update(predicted, grades, indexes=ids)
    assert values == pytest.approx([float(theirs.compute())], abs=1e-5)
