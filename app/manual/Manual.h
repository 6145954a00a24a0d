#pragma once
// The manual: pages of resources/manual with what the code says of itself filled in, what lies
// where in them, and the search over all of them. Made once, at the first call; any thread.

#include "app/manual/Markup.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::app::manual {

struct PageText {
    std::string_view id; // "numbers"
    std::string_view text;
};
// The texts of the pages, resources/manual/*.md, compiled in; in the order of the manual.
std::span<const PageText> pageTexts();

// From one heading to the next; the first one of a page has none.
struct Section {
    std::string anchor; // empty: the beginning of the page
    std::string title;
    int level = 0;
    std::string text; // plain
};

struct Page {
    std::string id; // "numbers"
    Markup markup;
    std::vector<Section> sections;
};

// "numbers#step-time", split.
struct Place {
    std::string page;
    std::string anchor; // empty: its beginning

    bool operator==(const Place&) const = default;
};
Place placeOf(std::string_view text);

const std::vector<Page>& pages();
const Page* findPage(std::string_view id); // nullptr: there is none
// The page of that name, else the first section with that anchor; empty: neither.
std::optional<Place> findTopic(std::string_view name);

// Blocks of the section at that place, those below it with theirs, without its own heading; of a
// page its beginning. Empty where there is no such place.
std::vector<Block> blocksAt(const Place& place);
// The first words of a section, in plain lines of that many characters at most; "Title: text".
// Empty where there is no such place.
std::string definitionAt(std::string_view place, std::size_t columns);

struct Hit {
    Place place;
    std::string title; // title of the section
    std::string pageTitle;
    std::string excerpt; // around the first word that occurs in its text
    int score = 0;
};
// Sections that contain every word, whatever its case; those that have them in their title first,
// else in the order of the manual.
std::vector<Hit> search(std::string_view query);
// Words of a query: "step time" → step, time.
std::vector<std::string> queryWords(std::string_view query);

} // namespace trainscope::app::manual
