#pragma once
// Row identities of the run database, one type per table so that they cannot be mixed up.

#include <cstdint>
#include <functional>
#include <utility> // comparisons; Qt's moc cannot read <compare> alone

namespace trainscope {

template <typename Tag>
struct Id {
    std::int64_t value = 0; // 0: none

    auto operator<=>(const Id&) const = default;
    [[nodiscard]] bool isValid() const { return value != 0; }
};

using RunId = Id<struct RunTag>;
using SourceId = Id<struct SourceTag>;
using SeriesId = Id<struct SeriesTag>;
using TrackId = Id<struct TrackTag>;
using NameId = Id<struct NameTag>; // an interned string: kernel names, collective arguments

} // namespace trainscope

template <typename Tag>
struct std::hash<trainscope::Id<Tag>> {
    std::size_t operator()(trainscope::Id<Tag> id) const noexcept {
        return std::hash<std::int64_t>{}(id.value);
    }
};
