#pragma once
// Telemetry files as three rows of the registry: logs of nvidia-smi and of scripts around it
// (`--query-gpu … --format=csv` with or without header and units, own column names, one column per
// GPU, drawn tables), monitors of GPUs (DCGM and its exporter, Prometheus' answers, nvidia-smi dmon
// and -q, amd-smi, rocm-smi, Zeus, nvitop, gpustat, Weights & Biases), and what measures nodes and
// switches (MLPerf power logs, PTDaemon, IPMI, Redfish, RAPL, management controllers, CodeCarbon).
// The formats are listed in Formats.h.
//
// Clock: as each format says; local stamps stay as written unless the unit says an offset; files
// without stamps are placed by the start and period that the unit says, else at the epoch, one
// reading a second. A file of a unit that begins and ends a zone's offset (whole half hours, 1 to
// 14 h) from where most of its files do is set right, and that is said; one that only begins there
// is not, and that is said as well. Several files that differ in the number of a node or switch are
// one unit. Units of logs: those of the cells, else the header's, else nvidia-smi's own (W, °C,
// MHz, %, MiB); °F becomes °C, and a column in a unit that is not known is left out. Values of -1,
// [N/A] and the like are missing.

#include "importers/common/Importer.h"

namespace trainscope::importers::meters {

const Importer& logImporter();
const Importer& gpuImporter();
const Importer& nodeImporter();

} // namespace trainscope::importers::meters
