"""notebook.py NOTEBOOK MODULE SAMPLE: runs the notebook beside a copy of the sample, in Jupyter's kernel where it is installed.

Without nbclient its cells are executed here, as Jupyter does but for what it displays, and a line says so.
"""

import json
import os
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

notebook, module, sample = (os.path.abspath(argument) for argument in sys.argv[1:])
os.environ["PYTHONPATH"] = os.path.dirname(module)
sys.path.insert(0, os.path.dirname(module))


def in_jupyter(folder):
    import nbformat
    from nbclient import NotebookClient
    book = nbformat.read(notebook, as_version=4)
    nbformat.validate(book)
    NotebookClient(book, timeout=240, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    outputs = {cell.id: cell.outputs for cell in book.cells if cell.cell_type == "code"}
    shown = outputs["figure"][0]["data"]["image/svg+xml"]
    assert ElementTree.fromstring(shown).tag.endswith("svg"), shown[:200]
    assert outputs["open"][0]["data"]["text/plain"]
    assert "".join(part.get("text", "") for part in outputs["findings"]).strip(), "no finding was printed"


def here(folder):
    print("SKIPPED in part: without nbclient and ipykernel the cells are executed, and what they display is not looked at")
    os.chdir(folder)
    names = {}
    for cell in json.load(open(notebook, encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)  # noqa: S102, the notebook under test
    assert names["db"].figure("timeline", run=names["run"])._repr_svg_()


with tempfile.TemporaryDirectory() as work:
    shutil.copy(sample, os.path.join(work, "runs.trainscope"))
    os.environ.update({"HOME": work, "IPYTHONDIR": work, "JUPYTER_RUNTIME_DIR": work})
    try:
        import ipykernel  # noqa: F401
        import nbclient  # noqa: F401
    except ImportError:
        here(work)
    else:
        in_jupyter(work)
