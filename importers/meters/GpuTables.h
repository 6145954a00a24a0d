#pragma once
// Tables of GPU monitors: dcgmi dmon, DCGM's long CSV, nvidia-smi dmon and pmon, amd-smi and
// rocm-smi CSV, amd-smi monitor, xpu-smi dump, Zeus' PowerMonitor, nvitop's
// collector and Weights & Biases' system metrics.
//
// Clocks: DCGM's CSV, Zeus and Weights & Biases write unix time; nvidia-smi local time where asked
// for (-o DT); the others none. Units: those of the tools' manuals, or of their own second header
// line.

#include "importers/meters/ColumnNames.h"

namespace trainscope::importers::meters {

extern const TableKind kDcgmiDmon;
extern const TableKind kDcgmCsv;
extern const TableKind kSmiDmon;
extern const TableKind kSmiDmonCsv;
extern const TableKind kSmiPmon;
extern const TableKind kAmdCsv;
extern const TableKind kAmdMonitor;
extern const TableKind kRocmCsv;
extern const TableKind kXpuDump;
extern const TableKind kZeusCsv;
extern const TableKind kNvitopCsv;
extern const TableKind kWandbCsv;
extern const TableKind kSensorCsv; // "Time,Sensor_Name,Watts": a row for each sensor

// AMD's names of readings, of tables, texts and JSON alike.
std::span<const ColumnName> amdNames();
std::span<const ColumnName> rocmNames();
// "system.gpu.0.powerWatts" as a column of GPU 0.
Column wandbColumn(std::string_view name);

} // namespace trainscope::importers::meters
