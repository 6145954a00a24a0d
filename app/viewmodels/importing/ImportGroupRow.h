#pragma once
// A row of the import sheet, as plain values: a run that will be, a remark on its sources, or one
// of them.

#include "app/viewmodels/importing/ImportPlanModel.h"

#include <QString>

#include <vector>

namespace trainscope::app {

// Indices of ImportGroupModel::clockChoices().
inline constexpr int kClockAsUtc = 0;
inline constexpr int kClockLocal = 1;
inline constexpr int kClocksDiffer = -1;

// Cells of a row; texts that differ among a run's sources are empty, with a hint.
struct ImportGroupRow {
    int kind = 0; // ImportGroupModel::Kind
    int group = 0;
    int unit = -1; // row of the plan; of a source
    QString title; // name of the run, the remark, or the path of the source
    QString brief; // of a source: what tells it from the others
    QString detail; // "64 Kineto traces, 1 configuration · ranks 0-63 of 64 · …"
    QString problem; // why it cannot be imported as it is
    QString run; // that a source joins
    QString sizeText;
    QString rank;
    QString period; // of a source without stamps
    QString columns; // of a table with names of its own
    QString clock; // where it cannot be edited
    QString offset;
    QString offsetHint;
    QString gpuModel;
    QString gpuHint;
    QString airflow; // of a run
    QString airflowHint;
    int clockChoice = -1; // of ImportGroupModel::clockChoices; -1: they differ
    int dateChoice = -1; // of ImportGroupModel::dateChoices; -1: as the separators tell
    int checkState = 0; // Qt::CheckState: to be imported
    bool isMachine = false; // it describes machines of runs
    bool isDatabase = false; // its runs are merged under the names that they have
    bool runFaulty = false;
    bool rankEditable = false;
    bool rankFaulty = false;
    bool periodEditable = false;
    bool periodFaulty = false;
    bool datesEditable = false;
    bool columnsEditable = false;
    bool columnsFaulty = false;
    bool clockEditable = false;
    bool offsetFaulty = false;
    bool gpuEditable = false;
    bool airflowFaulty = false;
    bool isUnfolded = false;
    bool isMarked = false;

    bool operator==(const ImportGroupRow&) const = default;
};

// Rows of a run's sources together, of which there must be one, and of a single source.
ImportGroupRow rowOfRun(const std::vector<const ImportRow*>& sources);
ImportGroupRow rowOfSource(const ImportRow& source);

} // namespace trainscope::app
