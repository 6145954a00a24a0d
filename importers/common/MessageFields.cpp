#include "importers/common/MessageFields.h"

#include <algorithm>

namespace trainscope::importers {

namespace {

void put(const MessageField& field, std::uint64_t& to) {
    to = field.value;
}
void put(const MessageField& field, std::int64_t& to) {
    to = field.whole();
}
void put(const MessageField& field, double& to) {
    to = field.real();
}
void put(const MessageField& field, bool& to) {
    to = field.value != 0;
}
void put(const MessageField& field, std::string_view& to) {
    to = field.bytes;
}
template <typename T>
void put(const MessageField& field, std::optional<T>& to) {
    put(field, to.emplace());
}
template <typename T>
void put(const MessageField& field, std::vector<T>& to) {
    put(field, to.emplace_back());
}

} // namespace

bool readFields(
    std::string_view message, std::initializer_list<std::pair<std::uint32_t, FieldTarget>> places) {
    return eachField(message, [places](const MessageField& field) {
        const auto place = std::ranges::find(
            places, field.number, &std::pair<std::uint32_t, FieldTarget>::first);
        if (place != places.end())
            std::visit([&field](auto* to) { put(field, *to); }, place->second);
    });
}

} // namespace trainscope::importers
