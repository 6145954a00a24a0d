#include "importers/topology/XmlTree.h"

#include "core/model/WholeNumber.h"

#include <expat.h>
#include <fmt/format.h>

#include <memory>

namespace trainscope::importers::topology {

namespace {

constexpr std::size_t kMaxElements = 1'000'000;

struct Building {
    std::vector<XmlElement> elements;
    std::size_t current = XmlElement::kNone;
    XML_Parser parser = nullptr;
};

void XMLCALL onStart(void* data, const XML_Char* name, const XML_Char** attributes) {
    auto& building = *static_cast<Building*>(data);
    if (building.elements.size() == kMaxElements) {
        XML_StopParser(building.parser, XML_FALSE);
        return;
    }
    XmlElement element{name, {}, building.current};
    for (std::size_t i = 0; attributes[i] != nullptr; i += 2)
        element.attributes.emplace(attributes[i], attributes[i + 1]);
    building.current = building.elements.size();
    building.elements.push_back(std::move(element));
}

void XMLCALL onEnd(void* data, const XML_Char* /*name*/) {
    auto& building = *static_cast<Building*>(data);
    if (building.current != XmlElement::kNone)
        building.current = building.elements[building.current].parent;
}

} // namespace

std::string XmlElement::text(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? std::string() : found->second;
}

std::optional<int> XmlElement::number(const std::string& attribute) const {
    return wholeNumber<int>(text(attribute));
}

Result<std::vector<XmlElement>> parseXml(std::string_view text, const std::string& where) {
    constexpr std::size_t kLargestDocument = std::size_t{64} << 20;
    if (text.size() > kLargestDocument)
        return Error{ErrorCode::Unreadable, "This file is too large for a topology.", where};
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate(nullptr), &XML_ParserFree);
    if (!parser)
        return Error{ErrorCode::Unreadable, "There is not enough memory to read this file.", where};
    Building building;
    building.parser = parser.get();
    XML_SetUserData(parser.get(), &building);
    XML_SetElementHandler(parser.get(), &onStart, &onEnd);
    if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK)
        return Error{ErrorCode::Unreadable,
            fmt::format("The XML is broken in line {}: {}.", XML_GetCurrentLineNumber(parser.get()),
                XML_ErrorString(XML_GetErrorCode(parser.get()))),
            where};
    return std::move(building.elements);
}

} // namespace trainscope::importers::topology
