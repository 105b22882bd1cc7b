"""The log of a simulated shop, which `load_shop` loads.

Customers look for offers of one category, see 6 to 16 of them, and click those that
match their words, are well rated, and cost less than the other offers. They click on
more offers in expensive categories: over all rows a higher price goes with more clicks,
and within a session with fewer. A metric that compares rows of different sessions
learns the first, a ranking metric the second.
"""

# SPDX-License-Identifier: BSD-3-Clause

import datetime

import numpy as np

# The usual price of each category.
CATEGORIES = {"book": 15, "toy": 30, "shoe": 80, "chair": 150, "phone": 400}
BRANDS = ["Alto", "Birk", "Cobo", "Dune", "Elva", "Faro", "Gint", "Hale"]
HEADER = "qid,day,device,category,item,brand,price,rating,match,delivery,age,clicked"
N_SESSIONS, N_ITEMS, DAYS = 600, 60, 42


def rows():
    """Yield the row of each offer that a session is shown."""
    rng = np.random.default_rng(1)
    n = len(CATEGORIES) * N_ITEMS
    saving, quality = rng.normal(size=(2, n))
    usual = np.repeat([*CATEGORIES.values()], N_ITEMS)
    price = usual * np.exp(-0.35 * saving)
    rating = np.clip(4 + 0.6 * quality, 1, 5)
    brand, age = rng.choice(BRANDS, n), rng.integers(720, size=n)
    days = np.sort(rng.integers(DAYS, size=N_SESSIONS))
    for session in range(N_SESSIONS):
        category = rng.integers(len(CATEGORIES))
        shown = rng.choice(N_ITEMS, rng.integers(6, 17), replace=False)
        items = shown + category * N_ITEMS
        match, noise = rng.normal(size=(2, len(items)))
        utility = match + 1.2 * saving[items] + 0.6 * quality[items] + 0.7 * noise
        n_clicks = rng.poisson(0.4 + 0.7 * category) + (rng.uniform() < 0.85)
        clicked = utility >= -np.sort(-utility)[min(n_clicks, len(items)) - 1]
        device = rng.choice(["phone", "computer"], p=[0.6, 0.4])
        day = datetime.date(2026, 3, 2) + datetime.timedelta(days=int(days[session]))
        name = [*CATEGORIES][category]
        for i, item in enumerate(items):
            yield (
                f"s{session:03},{day},{device},{name},{name}{shown[i]:02},{brand[item]},"
                f"{price[item]:.2f},{rating[item]:.1f},{match[i]:.2f},"
                f"{rng.integers(1, 8)},{age[item]},{int(clicked[i] and n_clicks > 0)}"
            )


def files():
    """Return the file of the data set."""
    return {"../skrank/datasets/data/shop.csv": "\n".join([HEADER, *rows()]) + "\n"}
