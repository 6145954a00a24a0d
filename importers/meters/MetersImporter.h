#pragma once
// Telemetry files other than nvidia-smi's logs. Two rows of the registry: monitors of GPUs (DCGM
// and its exporter, Prometheus' answers, nvidia-smi dmon and -q, amd-smi, rocm-smi, Zeus, nvitop,
// gpustat, Weights & Biases), and what measures nodes and switches (MLPerf power logs, PTDaemon,
// IPMI, Redfish, RAPL, management controllers, CodeCarbon). The formats are listed in Formats.h.
//
// Clock: as each format says; local stamps stay as written unless the unit says an offset; files
// without stamps are placed by the start and period that the unit says, else at the epoch, one
// reading a second. A file of a unit that begins and ends a zone's offset (whole half hours, 1 to
// 14 h) from where most of its files do is set right, and that is said; one that only begins there
// is not, and that is said as well. Several files that differ in the number of a node or switch are
// one unit.

#include "importers/common/Importer.h"

namespace trainscope::importers::meters {

const Importer& gpuImporter();
const Importer& nodeImporter();

} // namespace trainscope::importers::meters
