"""Predict: what is searched while somebody waits."""


def measure(table, figures, make, full):
    del make, full
    for name, work in {"searchDense": "dense, 70B", "searchExperts": "256 experts, 671B"}.items():
        searched = figures.counter(name, "searched")
        label = f"all layouts of 1,024 GPUs, {work}" + (f" ({searched:,.0f})" if searched else "")
        table.at_most("predict", label, figures.ms(name), "ms", 1000)
