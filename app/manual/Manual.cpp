#include "app/manual/Manual.h"

#include "app/manual/Keys.h"
#include "core/analysis/comparison/Quantity.h"
#include "core/figures/Kinds.h"
#include "core/model/AsciiText.h"
#include "core/report/RunColumns.h"
#include "importers/registry/Registry.h"

namespace trainscope::app::manual {
namespace {

// Tables of the program's own lists for the manual: a line "{metrics}" of a page stands for the
// table of the metrics, and so on, so that pages tell nothing that the code does not have.

std::string metricTable(std::string_view /*of*/) {
    std::string text = "| metric | what | unit | kind |\n|---|---|---|---|\n";
    for (const KnownMetric& metric : metricRegistry())
        text += fmt::format("| `{}` | {} | {} | {} |\n", metric.name, metric.label,
            metric.isPercent         ? "fraction, shown as %"
                : metric.unit == "1" ? "number"
                                     : metric.unit,
            toString(metric.kind));
    return text;
}

// A heading and a table for each group.
std::string keyTables(std::string_view /*of*/) {
    std::string text;
    std::string_view group;
    for (const KeyEntry& entry : keyEntries()) {
        if (entry.group != group)
            text += fmt::format("\n## {}\n\n| key | action |\n|---|---|\n", entry.group);
        group = entry.group;
        text += fmt::format("| {} | {} |\n", shownKeys(entry), entry.action);
    }
    return text;
}

std::string formatTable(std::string_view /*of*/) {
    std::string text = "| `--format` | what is read |\n|---|---|\n";
    for (const auto* importer : importers::registry())
        text += fmt::format("| `{}` | {} |\n", importer->format.id, importer->format.description);
    return text;
}

std::string optionTable(std::string_view kindKey) {
    const figures::Kind* kind = figures::findKind(kindKey);
    if (kind == nullptr)
        return {};
    if (kind->options.empty())
        return "It has no options of its own.\n";
    std::string text = "| option | |\n|---|---|\n";
    for (const figures::Option& option : kind->options)
        text += fmt::format("| `--{}{}{}` | {}{} |\n", option.name, option.value.empty() ? "" : " ",
            option.value, option.help, option.isList ? "; may be given several times" : "");
    return text;
}

std::string quantityList(std::string_view /*of*/) {
    std::string text;
    for (const auto& quantity : analysis::comparedQuantities())
        text += fmt::format("{}{} `{}`\n: {}.\n\n", quantity.title,
            quantity.unit == "1" ? std::string() : fmt::format(" ({})", quantity.unit),
            quantity.key, quantity.definition);
    return text;
}

std::string columnTable(std::string_view /*of*/) {
    std::string text = "| word | column | unit |\n|---|---|---|\n";
    for (const report::RunColumn& column : report::runColumns())
        text += fmt::format("| `{}` | {} | {} |\n", fmt::join(column.words, "` `"),
            column.definition, column.unit == "1" ? std::string() : column.unit);
    return text;
}

struct FactList {
    std::string_view name;
    std::string (*text)(std::string_view of);
};
constexpr FactList kLists[]{{"metrics", metricTable}, {"keys", keyTables}, {"formats", formatTable},
    {"options", optionTable}, {"quantities", quantityList}, {"columns", columnTable}};

// Text that a line stands for; empty: the line itself.
std::string factsOf(std::string_view line) {
    if (!line.starts_with('{') || !line.ends_with('}'))
        return {};
    line = line.substr(1, line.size() - 2);
    const std::size_t blank = std::min(line.find(' '), line.size());
    for (const FactList& list : kLists) {
        if (list.name == line.substr(0, blank))
            return list.text(trimmed(line.substr(blank)));
    }
    return {};
}

// The text of a page with its lists filled in. A name that there is no list for stays as it is.
std::string withFacts(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::string facts = factsOf(line);
        result.append(facts.empty() ? line : std::string_view(facts)).append("\n");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

constexpr std::size_t kExcerptBefore = 40; // bytes before the found word
constexpr std::size_t kExcerptLength = 130;
constexpr int kTitleScore = 100; // for a word in a title
constexpr int kPageScore = 20; // for a word in the page's title

std::vector<Section> sectionsOf(const Markup& markup) {
    std::vector<Section> sections{{{}, markup.title, 1, markup.about}};
    for (const Block& block : markup.blocks) {
        if (block.kind == Block::Kind::Heading)
            sections.push_back({block.anchor, plainText(block.line), block.level, {}});
        else
            sections.back().text.append("  ").append(plainText(block));
    }
    return sections;
}

std::vector<Page> makePages() {
    std::vector<Page> all;
    for (const auto& [id, text] : pageTexts()) {
        Page page{std::string(id), withFacts(text), {}, {}};
        page.markup = parseMarkup(page.text);
        page.sections = sectionsOf(page.markup);
        all.push_back(std::move(page));
    }
    return all;
}

std::size_t occurrences(std::string_view text, std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + word.size()))
        ++count;
    return count;
}

// 0: a word is missing.
int scoreOf(const Page& page, const Section& section, const std::vector<std::string>& wanted) {
    const std::string title = lowered(section.title);
    const std::string text = lowered(section.text);
    int score = 0;
    for (const std::string& word : wanted) {
        const auto count = static_cast<int>(occurrences(text, word));
        const bool isInTitle = title.find(word) != std::string::npos;
        const bool isInPage = containsIgnoringCase(page.markup.title, word);
        if (count == 0 && !isInTitle)
            return 0;
        score += std::min(count, kPageScore) + (isInTitle ? kTitleScore : 0)
            + (isInPage ? kPageScore : 0);
    }
    return score;
}

std::string excerptOf(const std::string& text, const std::vector<std::string>& wanted) {
    const std::string all = lowered(text);
    std::size_t found = std::string::npos;
    for (const std::string& word : wanted)
        found = std::min(found, all.find(word));
    if (found == std::string::npos)
        found = 0;
    std::size_t begin = found > kExcerptBefore ? text.find(' ', found - kExcerptBefore) : 0;
    begin = std::min(begin == std::string::npos ? found : begin, found);
    std::size_t end = std::min(text.size(), begin + kExcerptLength);
    while (end < text.size() && !startsCharacter(text[end]))
        ++end;
    const std::string part(trimmed(std::string_view(text).substr(begin, end - begin)));
    return (begin > 0 ? "… " : "") + part + (end < text.size() ? " …" : "");
}

} // namespace

Place placeOf(std::string_view text) {
    const std::size_t hash = std::min(text.find('#'), text.size());
    return {std::string(text.substr(0, hash)),
        std::string(text.substr(std::min(hash + 1, text.size())))};
}

const std::vector<Page>& pages() {
    static const std::vector<Page> all = makePages();
    return all;
}

const Page* findPage(std::string_view id) {
    const auto found = std::ranges::find(pages(), id, &Page::id);
    return found == pages().end() ? nullptr : &*found;
}

std::optional<Place> findTopic(std::string_view name) {
    if (findPage(name) != nullptr)
        return Place{std::string(name), {}};
    for (const Page& page : pages()) {
        for (const Section& section : page.sections) {
            if (!section.anchor.empty() && section.anchor == name)
                return Place{page.id, section.anchor};
        }
    }
    return std::nullopt;
}

std::vector<std::string> queryWords(std::string_view query) {
    std::vector<std::string> wanted;
    for (const std::string_view word : words(query, " \t"))
        wanted.push_back(lowered(word));
    return wanted;
}

std::vector<Block> blocksAt(const Place& place) {
    const Page* page = findPage(place.page);
    if (page == nullptr)
        return {};
    const auto& blocks = page->markup.blocks;
    const auto isHeading = [](const Block& block) { return block.kind == Block::Kind::Heading; };
    auto begin = blocks.begin();
    int level = 0; // level of the heading
    if (!place.anchor.empty()) {
        begin = std::ranges::find_if(blocks,
            [&](const Block& block) { return isHeading(block) && block.anchor == place.anchor; });
        if (begin == blocks.end())
            return {};
        level = begin->level;
        ++begin;
    }
    return {begin, std::find_if(begin, blocks.end(), [&](const Block& block) {
                return isHeading(block) && (level == 0 || block.level <= level);
            })};
}

std::string definitionAt(std::string_view place, std::size_t columns) {
    const Place at = placeOf(place);
    const auto blocks = blocksAt(at);
    if (blocks.empty())
        return {};
    std::string text;
    for (const Section& section : findPage(at.page)->sections) {
        if (section.anchor == at.anchor)
            text = section.title + ": " + plainText(blocks.front());
    }
    std::string lines;
    std::size_t length = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        const auto characters = text::displayWidth(word);
        const bool isNext = length > 0 && length + 1 + characters > columns;
        lines.append(lines.empty() ? "" : isNext ? "\n" : " ").append(word);
        length = isNext || length == 0 ? characters : length + 1 + characters;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lines;
}

std::vector<Hit> search(std::string_view query) {
    const auto wanted = queryWords(query);
    std::vector<Hit> hits;
    if (wanted.empty())
        return hits;
    for (const Page& page : pages()) {
        for (const Section& section : page.sections) {
            if (const int score = scoreOf(page, section, wanted); score > 0)
                hits.push_back({{page.id, section.anchor}, section.title, page.markup.title,
                    excerptOf(section.text, wanted), score});
        }
    }
    std::ranges::stable_sort(hits, std::ranges::greater(), &Hit::score);
    return hits;
}

} // namespace trainscope::app::manual
