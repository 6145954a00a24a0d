#include "importers/common/SaidColumns.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/Cells.h"

#include <algorithm>
#include <mutex>

namespace trainscope::importers {

namespace {

struct Said {
    std::mutex mutex;
    SaidColumns columns;
};

thread_local const SaidColumns* ofSource = nullptr;

Said& said() {
    static Said all;
    return all;
}

std::string headerKey(std::string_view header) {
    std::string key = lowered(trimmed(header));
    std::replace(key.begin(), key.end(), '_', ' ');
    return key;
}

Error wrongColumn(std::string_view text, const std::string& why) {
    return {ErrorCode::Usage,
        "\"" + std::string(text) + "\" " + why
            + " A column is said as NAME=METRIC[unit], such as P_tot=gpu_power[mW], or "
              "NAME=ignore.",
        {}};
}

} // namespace

Status addSaidColumn(SaidColumns& columns, std::string_view text) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || trimmed(text.substr(0, equals)).empty())
        return wrongColumn(text, "names no column and what it is.");
    std::string_view meaning = trimmed(text.substr(equals + 1));
    SaidColumn column;
    if (const std::size_t open = meaning.find('['); open != std::string_view::npos) {
        if (!meaning.ends_with(']'))
            return wrongColumn(text, "has a bracket that is not closed.");
        column.unit = trimmed(meaning.substr(open + 1, meaning.size() - open - 2));
        meaning = trimmed(meaning.substr(0, open));
        if (!findUnit(column.unit) && !isFahrenheit(column.unit))
            return wrongColumn(text, "has a unit that is not known.");
    }
    if (meaning.empty())
        return wrongColumn(text, "does not say what the column is.");
    column.meaning = lowered(meaning);
    std::replace(column.meaning.begin(), column.meaning.end(), ' ', '_');
    columns.insert_or_assign(headerKey(text.substr(0, equals)), std::move(column));
    return {};
}

Result<SaidColumns> saidColumnsIn(std::string_view text) {
    SaidColumns columns;
    for (const std::string_view part : words(text, ";")) {
        if (!trimmed(part).empty())
            RETURN_IF_ERROR(addSaidColumn(columns, trimmed(part)));
    }
    return columns;
}

SaidOfSource::SaidOfSource(const SaidColumns& columns)
    : m_before(std::exchange(ofSource, &columns)) { }

SaidOfSource::~SaidOfSource() {
    ofSource = m_before;
}

void sayColumns(SaidColumns columns) {
    const std::lock_guard lock(said().mutex);
    said().columns = std::move(columns);
}

std::optional<SaidColumn> saidColumn(std::string_view header) {
    if (ofSource != nullptr && !ofSource->empty()) {
        const auto own = ofSource->find(headerKey(header));
        if (own != ofSource->end())
            return own->second;
    }
    const std::lock_guard lock(said().mutex);
    if (said().columns.empty())
        return std::nullopt;
    const auto found = said().columns.find(headerKey(header));
    return found == said().columns.end() ? std::nullopt : std::optional(found->second);
}

} // namespace trainscope::importers
