#pragma once
// A small schedule, traced and planned.

#include "core/plot/layout/ScheduleFigure.h"
#include "core/plot/support/Targets.h"

#include <utility>

namespace trainscope::test {

// Two stages, two micro-batches, a pass takes 1 forward and 2 backward, traced 10 % slower.
inline plot::ScheduleFigureData demoSchedule(bool isTraced) {
    plot::ScheduleFigureData data;
    data.run = "job";
    data.title = "Pipeline schedule · job";
    data.plan
        = layout::makeSchedule({layout::ScheduleKind::OneForwardOneBackward, 2, 2, 1, {}, 0.0})
              .value();
    data.unit = "forward passes of a stage";
    data.to = data.plan->makespan;
    if (isTraced) {
        analysis::TracedSchedule& traced = data.traced.emplace();
        traced.traced = *data.plan;
        for (auto& task : traced.traced.tasks) {
            task.start *= 1.1;
            task.end *= 1.1;
        }
        traced.isKnownOrder = true;
        traced.planned = std::exchange(data.plan, std::nullopt);
        data.unit = "s";
        data.to = traced.windowTo = 1.1 * traced.planned->makespan;
        traced.stages = {{4, 0.125, traced.planned->stageBubble[0]},
            {-1, std::nullopt, traced.planned->stageBubble[1]}};
    }
    return data;
}

// The passes among the targets, which the bubbles stand before.
inline std::vector<plot::Hit> passesOf(const plot::Picture& picture) {
    std::vector<plot::Hit> passes;
    for (const plot::Target& target : picture.targets) {
        plot::Hit hit = told(target);
        if (hit.title.find("bubble") == std::string::npos)
            passes.push_back(std::move(hit));
    }
    return passes;
}

} // namespace trainscope::test
