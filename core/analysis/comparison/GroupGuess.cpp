#include "core/analysis/comparison/GroupGuess.h"

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

std::map<std::string, GuessedGroup> guessGroups(const layout::Layout& layout) {
    std::map<std::string, GuessedGroup> guessed;
    const auto put
        = [&](const std::vector<const char*>& categories, const std::optional<GroupKind>& kind) {
              if (!kind)
                  return;
              for (const char* category : categories)
                  guessed[category] = groupOf(layout, *kind);
          };
    put({"send_recv"}, onlyOf(layout, {GroupKind::Pipeline, GroupKind::Expert}));
    put({"all_to_all"}, onlyOf(layout, {GroupKind::Expert}));
    put({"all_reduce", "all_gather", "reduce_scatter"},
        onlyOf(layout, {GroupKind::Tensor, GroupKind::Context, GroupKind::Data}));
    return guessed;
}

} // namespace trainscope::analysis
