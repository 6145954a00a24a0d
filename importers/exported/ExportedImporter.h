#pragma once
// A run that Trainscope exported as CSV (`export --out FOLDER`): a file per metric, with
// metrics.csv and iterations.csv beside them, plain or packed.
//
// Times are UTC in nanoseconds, values are SI, an empty value is a missing one. A file's metric is
// the one that metrics.csv names for it, else the one of the file's name; units, kinds, widths of
// counters and sensors are those of metrics.csv, else of the registry of metrics. A folder is a
// run.

#include "importers/common/Importer.h"

namespace trainscope::importers::exported {

const Importer& importer();

} // namespace trainscope::importers::exported
