#pragma once
// Runs of experiment trackers: Weights & Biases (run-*.wandb with the files of its folder),
// TensorBoard (events.out.tfevents.*), MLflow (mlruns folders and its SQLite store). Each is read
// as lines of JSON (Lines.h) by the readers of training logs and of telemetry, which thus decide
// what words mean. Clocks are unix time. A damaged record is left out; of a file that is cut what
// is whole is read; both are told.

#include "importers/common/Importer.h"

namespace trainscope::importers::tracker {

const Importer& wandbImporter();
const Importer& eventsImporter();
const Importer& mlflowImporter();

} // namespace trainscope::importers::tracker
