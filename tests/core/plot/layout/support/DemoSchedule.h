#pragma once
// A small schedule, traced and planned.

#include "core/plot/layout/ScheduleFigure.h"
#include "core/plot/support/Targets.h"

namespace trainscope::test {

// Two stages, two micro-batches, a pass takes 1 forward and 2 backward, traced 10 % slower.
inline plot::ScheduleFigureData demoSchedule(bool isTraced) {
    plot::ScheduleFigureData data;
    data.run = "job";
    data.title = "Pipeline schedule · job";
    data.planned
        = layout::makeSchedule({layout::ScheduleKind::OneForwardOneBackward, 2, 2, 1, {}, 0.0})
              .value();
    data.unit = "forward passes of a stage";
    data.to = data.planned->makespan;
    data.stages = {{-1, std::nullopt, data.planned->stageBubble[0]},
        {-1, std::nullopt, data.planned->stageBubble[1]}};
    if (isTraced) {
        data.traced = data.planned;
        for (auto& task : data.traced->tasks) {
            task.start *= 1.1;
            task.end *= 1.1;
        }
        data.unit = "s";
        data.to = data.windowTo = 1.1 * data.planned->makespan;
        data.stages[0].rank = 4;
        data.stages[0].tracedBubble = 0.125;
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
