#pragma once
// Checks of a traced schedule against the planted pipeline.

#include "core/analysis/schedule/PlantedPipeline.h"

#include "core/analysis/schedule/TracedSchedule.h"

#include <algorithm>
#include <cmath>

namespace trainscope::test {

using analysis::PlanFit;
using analysis::TracedSchedule;

inline Result<TracedSchedule> trace(
    PlantedPipeline& planted, std::optional<std::int64_t> iteration = {}) {
    const auto store = planted.trace.store();
    return analysis::tracedSchedule(
        {store, store.findRun("run").value()}, {iteration, std::nullopt});
}

inline bool hasNote(const TracedSchedule& schedule, const char* part) {
    return std::any_of(schedule.notes.begin(), schedule.notes.end(),
        [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

inline QString failure(const Result<TracedSchedule>& made) {
    return made.hasValue() ? QString() : QString::fromStdString(made.error().describe());
}

// Each planted task is there, with its number, from when to when; 1e-9 s: times are whole ns.
inline void compareTasks(const layout::Schedule& traced, const layout::Schedule& planted) {
    QCOMPARE(traced.tasks.size(), planted.tasks.size());
    for (std::size_t i = 0; i < planted.tasks.size(); ++i) {
        const ScheduleTask& a = traced.tasks[i];
        const ScheduleTask& b = planted.tasks[i];
        QCOMPARE(a.stage, b.stage);
        QCOMPARE(a.chunk, b.chunk);
        QCOMPARE(a.microbatch, b.microbatch);
        QVERIFY(a.kind == b.kind);
        QVERIFY2(std::abs(a.start - b.start * 1e-3) < 3e-9 && std::abs(a.end - b.end * 1e-3) < 3e-9,
            qPrintable(QStringLiteral("%1: %2 to %3, planted %4 to %5")
                           .arg(i)
                           .arg(a.start)
                           .arg(a.end)
                           .arg(b.start * 1e-3)
                           .arg(b.end * 1e-3)));
    }
}

} // namespace trainscope::test
