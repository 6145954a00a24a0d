#include "core/analysis/comparison/GroupGuess.h"

#include "core/analysis/layout/RunLayout.h"
#include "core/layout/GroupSpan.h"

#include <initializer_list>
#include <optional>
#include <vector>

namespace trainscope::analysis {

namespace {

using layout::GroupKind;

GuessedGroup groupOf(const layout::Layout& layout, GroupKind kind) {
    const layout::LinkClass link = layout::spanOf(layout, kind).link();
    return {std::string(layout::infoOf(kind).key),
        link == layout::LinkClass::ScaleOut ? LinkClass::ScaleOut : LinkClass::ScaleUp};
}

// The only one of several ranks among them.
std::optional<GroupKind> onlyOf(
    const layout::Layout& layout, std::initializer_list<GroupKind> kinds) {
    std::optional<GroupKind> only;
    for (const GroupKind kind : kinds) {
        if (layout.grid.groupSize(kind) < 2)
            continue;
        if (only)
            return std::nullopt;
        only = kind;
    }
    return only;
}

} // namespace

Result<std::map<std::string, GuessedGroup>> guessGroups(
    const store::Store& store, const Run& run, const Progress& progress) {
    std::map<std::string, GuessedGroup> guessed;
    const auto told = runLayout(store, run, progress);
    if (!told.hasValue()) {
        const ErrorCode code = told.error().code;
        if (code == ErrorCode::NotFound || code == ErrorCode::Usage)
            return guessed;
        return told.error();
    }
    const auto layout = layout::makeLayout(told.value().request);
    if (!layout.hasValue())
        return guessed;
    const auto put
        = [&](const std::vector<const char*>& categories, const std::optional<GroupKind>& kind) {
              if (!kind)
                  return;
              for (const char* category : categories)
                  guessed[category] = groupOf(layout.value(), *kind);
          };
    put({"send_recv"}, onlyOf(layout.value(), {GroupKind::Pipeline, GroupKind::Expert}));
    put({"all_to_all"}, onlyOf(layout.value(), {GroupKind::Expert}));
    put({"all_reduce", "all_gather", "reduce_scatter"},
        onlyOf(layout.value(), {GroupKind::Tensor, GroupKind::Context, GroupKind::Data}));
    return guessed;
}

} // namespace trainscope::analysis
