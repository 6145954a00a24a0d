#pragma once
// The options that describe a layout by hand, as `layout` takes them.

#include "core/layout/Layout.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace trainscope::cli {

struct LayoutOptions {
    layout::LayoutRequest request; // the numbers
    std::string order;
    std::string schedule;
    std::string stageLayers;
    std::string model; // of the catalogue
    std::optional<int> sequence;
    std::optional<int> microBatch;

    // The options are added to `command`, which must not outlive this.
    void addTo(CLI::App& command);
    // Whether a degree of parallelism was given.
    [[nodiscard]] bool saysDegrees() const;
    // As if nothing of the layout had been given; the model stays.
    void forgetLayout();
    // What was given, over what is known already.
    [[nodiscard]] Result<layout::LayoutRequest> over(const layout::LayoutRequest& known) const;
    // The same of the model, its sequence and micro-batch.
    [[nodiscard]] Result<LaunchConfig> over(const LaunchConfig& known) const;
};

} // namespace trainscope::cli
