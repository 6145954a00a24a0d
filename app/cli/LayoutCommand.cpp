#include "app/cli/Command.h"
#include "app/cli/LayoutJson.h"
#include "app/cli/LayoutOptions.h"
#include "app/cli/LayoutText.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct Options {
    LayoutOptions layout;
    bool tasks = false;
    bool json = false;
};

ExitStatus printRequested(const Options& options, const Console& console) {
    const auto request = options.layout.over({});
    if (!request.hasValue())
        return console.fail(request.error());
    const auto made = layout::makeLayout(request.value());
    if (!made.hasValue())
        return console.fail(made.error());
    const auto plan = layout::planSchedule(made.value());
    const bool isPlanned = plan.hasValue();
    ExitStatus status = ExitStatus::Done;
    if (!isPlanned && plan.error().code != ErrorCode::NotFound) {
        console.warn(plan.error().message);
        status = ExitStatus::Partly;
    }
    const layout::Schedule* schedule = isPlanned ? &plan.value() : nullptr;
    if (options.json)
        printJson(console.out(), layoutJson(made.value(), schedule, options.tasks));
    else
        printLayout(console.out(), made.value(), schedule);
    return status;
}

} // namespace

void addLayoutCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "layout", "Where each rank sits, its groups, its layers, and the pipeline's schedule");
    auto options = std::make_shared<Options>();
    options->layout.addTo(*command);
    command->add_flag(
        "--tasks", options->tasks, "With --json: also the planned work of each stage");
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(
        R"(Ranks and groups are those of Megatron-LM; what it refuses is refused. In ranks, tp, cp,
dp and pp count in TP x CP x DP x PP, ep, etp and edp in the experts' own division of the same
ranks, ETP x EP x EDP x PP. A layer takes 1 forward and 2 backward in the plan; stages differ by
their layers.

Examples:
  trainscope-cli layout --nodes 4 --gpus-per-node 8 --tp 4 --pp 8 --microbatches 128
  trainscope-cli layout --nodes 4 --gpus-per-node 8 --tp 2 --pp 4 --stage-layers 19,21,21,19
  trainscope-cli layout --nodes 128 --gpus-per-node 8 --tp 8 --pp 16 --vpp 3 --ep 8 --etp 1 --json)");
    command->callback([options, &context] {
        context.action = [options, &context] { return printRequested(*options, context.console); };
    });
}

} // namespace trainscope::cli
