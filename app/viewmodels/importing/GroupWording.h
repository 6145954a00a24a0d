#pragma once
// Words of the import sheet for the sources of one run together. Any thread.

#include "app/viewmodels/importing/ImportPlanModel.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace trainscope::app {

// Those to be imported, or all where none is.
std::vector<const ImportRow*> toldOf(const std::vector<const ImportRow*>& rows);

// "ranks 0-7 of 8 · 8 GPUs, 12 metrics · NVIDIA H100 · starts 2026-04-22 00:03:09 UTC". `rows` is
// not empty; what is left out counts only where all is.
QString groupResult(const std::vector<const ImportRow*>& rows);
// "8 Kineto traces, 2 nvidia-smi logs, 1 configuration · 2 remarks".
QString groupDetail(const std::vector<const ImportRow*>& rows);

// Each remark once, behind the number of sources of which it is made or the only one's name.
QStringList groupRemarks(const std::vector<const ImportRow*>& rows);

// Name of a run that has that source alone: its path without the endings of files.
std::string sourceName(const importers::ImportUnit& unit);

} // namespace trainscope::app
