#pragma once
// The options that describe a layout by hand, as `layout` takes them.

#include "core/layout/Layout.h"

namespace CLI {
class App;
}

namespace trainscope::cli {

struct LayoutOptions {
    layout::LayoutRequest request; // the numbers
    std::string order;
    std::string schedule;
    std::string stageLayers;
    std::string model; // name in the catalogue
    std::optional<int> sequence;
    std::optional<int> microBatch;

    // The options are added to `command`, which must not outlive this.
    void addTo(CLI::App& command);
    // saysDegrees(): a degree of parallelism was given. saysLayout(): anything of the layout was.
    [[nodiscard]] bool saysDegrees() const;
    [[nodiscard]] bool saysLayout() const;
    // As if nothing of the layout had been given; the model and its layers stay.
    void forgetLayout();
    // The given options over the known layout. The samples of a step stay what they are: other
    // degrees, or a micro-batch other than the known one, make other micro-batches; none where they
    // would be no whole number.
    [[nodiscard]] Result<layout::LayoutRequest> over(
        const layout::LayoutRequest& known, std::optional<int> knownMicroBatch) const;
    // The same of the model, its sequence and micro-batch.
    [[nodiscard]] Result<LaunchConfig> over(const LaunchConfig& known) const;

private:
    void keepSamples(const layout::LayoutRequest& known, std::optional<int> knownMicroBatch,
        layout::LayoutRequest& result) const;
};

} // namespace trainscope::cli
