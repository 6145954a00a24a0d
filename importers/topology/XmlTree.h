#pragma once
// A small XML document as a tree of elements with attributes; text between them is ignored.

#include "core/model/Result.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::topology {

struct XmlElement {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::string name;
    std::map<std::string, std::string> attributes;
    std::size_t parent = kNone; // place in the list; kNone: the root

    [[nodiscard]] std::string text(const std::string& attribute) const; // "" when it is not there
    [[nodiscard]] std::optional<int> number(const std::string& attribute) const;
};

// All elements in the order of the document, parents first. Unreadable says where it is broken.
Result<std::vector<XmlElement>> parseXml(std::string_view text, const std::string& where);

} // namespace trainscope::importers::topology
