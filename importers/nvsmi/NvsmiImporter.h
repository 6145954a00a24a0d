#pragma once
// nvidia-smi logs: `--query-gpu … --format=csv` with or without header and units, the CSV files of
// scripts around it (own column names, one column per GPU, PCIe rates), and drawn tables that carry
// a date.
//
// Clock: stamps without zone are local time and stay as written unless the unit says an offset; ISO
// stamps with zone and unix numbers are UTC. Units: those of the cells, else the header's, else
// nvidia-smi's own (W, °C, MHz, %, MiB); °F becomes °C, and a column in a unit that is not known is
// left out. power.draw is `gpu_power` unless power.draw.instant stands beside it with values.
// Values of -1, [N/A] and the like are missing. A file that lies beside others which differ only in
// a node's name or number belongs to one run with them, one node per file.

#include "importers/common/Importer.h"

namespace trainscope::importers::nvsmi {

const Importer& importer();

} // namespace trainscope::importers::nvsmi
