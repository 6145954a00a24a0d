#pragma once
// CharLLM-PPT result trees: per run folder one header-less file per metric and global rank, lines
// of `unix_seconds,value` . Clock: unix seconds, UTC. Units: see
// SeriesMap.h. A -1 is a failed read and becomes a missing sample. GPUs per node come from the
// launch YAML that lies with the results (importers/launch), else 8; rank R is GPU R mod that of
// node R / that. `<N>_kineto` folders are left to the importer of traces.
//
// Confidence 90: named as telemetry and with usable lines; 40: named so, but empty or unreadable,
// which is for the report to say; 20: a metric that only a run folder makes telemetry.

#include "importers/common/Importer.h"

namespace trainscope::importers::charllm {

const Importer& importer();

} // namespace trainscope::importers::charllm
