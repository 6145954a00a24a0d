#pragma once
// Meaning of a column of a GPU log, by its name. Names follow `nvidia-smi --help-query-gpu` and the
// scripts seen around it: units in brackets, in parentheses or as a suffix; words joined by '.',
// '_', '-', blanks or capitals ("gpuPowerDraw"). A name that no list has is put together from its
// words: its subject (GPU, memory, CPU, node), its quantity, and the unit, which may stand for it.

#include "importers/common/Cells.h"
#include "importers/common/MetricWords.h"

namespace trainscope::importers::meters::smi {

// A series of each GPU or node, or a part of what says whose and when.
struct Column : SeriesDescription {
    ColumnRole role = ColumnRole::Ignored;
    std::string header; // as written; "column 3" without a header
    bool unitKnown = false; // the header names the unit
    std::string foreignUnit; // one in the header that nobody here knows
    std::int64_t nsPerUnit = 0; // for plain numbers that are stamps; 0: the head names no unit
    bool inFahrenheit = false; // numbers become °C as they are read
    std::string cellUnit; // every cell repeats it; a cell without it was cut off
    int decimals = -1; // every cell has as many; -1: they differ, or there are none
    CellForm form = CellForm::Number;
    int gpu = -1; // for a column that belongs to one GPU ("GPU3", "gpu3_power")
    std::string whose = {}; // subject of a known tool's column: "GPU 3", "node 2", "Switch 1"
    bool ofNode = false; // the node's, whose value stands in the rows of all its GPUs
    bool certain = false; // its name is one that we know
    bool isSaid = false; // by the user, who knows better
    bool isEmpty = false; // the first rows have no value of it
    bool mayBeFraction = false; // taken for %, but the first rows are from 0 to 1 with decimals
};

// One column by its header text. An unknown name becomes a metric of that name without unit;
// whether it holds numbers at all is for the caller to see.
Column columnNamed(std::string_view header);

// True for the name of a metric that we know.
bool namesMetric(std::string_view header);

// A column of a registered metric with its usual unit.
Column columnOf(std::string_view metric, std::string_view unit);

// Takes the unit that the header or the cells name; a unit of another quantity makes it another
// metric.
void adoptUnit(Column& column, std::string_view unit);

// The metric name of a source's own column: "Power.Draw [W]" → "power_draw".
std::string ownMetricName(std::string_view header);

// Settles what only the whole header tells: which power column is gpu_power, that a graphics clock
// alone stands for the SM clock, and which columns cannot be used. Appends to `notes` what was
// inferred and to `warnings` what is left out or may be read wrong.
void settleColumns(std::vector<Column>& columns, std::vector<std::string>& notes,
    std::vector<std::string>& warnings);

// Columns of a log without (complete) column names, from the cells: units, shapes and plausible
// ranges.

using Cells = std::vector<std::string>;

// The number of cells that most rows have; 0 without rows.
std::size_t commonWidth(const std::vector<Cells>& rows);

// Digits behind the point of a number; 0 without one.
int decimalPlaces(std::string_view cell);

// For a file without a header. Returns how sure it is that this is an nvidia-smi log (0: not).
int guessColumns(const std::vector<Cells>& rows, std::vector<Column>& columns);

// For a file with a header: forms and units that only the cells show, and columns that hold no
// numbers.
void settleForms(
    std::vector<Column>& columns, const std::vector<Cells>& rows, std::vector<std::string>& notes);

} // namespace trainscope::importers::meters::smi
