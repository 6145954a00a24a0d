#include "importers/trainlog/StepLine.h"

namespace trainscope::importers::trainlog {

KeptLine::KeptLine(const StepLine& line, std::string_view rank)
    : m_rank(rank)
    , m_opens(line.opens)
    , m_closes(line.closes)
    , m_interval(line.interval) {
    m_line.kind = line.kind;
    m_line.index = line.index;
    m_line.secondsEach = line.secondsEach;
    m_line.elapsedS = line.elapsedS;
    m_line.stamp = line.stamp;
    for (const LoggedValue& value : line.values)
        m_values.emplace_back(value.key, value.text);
}

StepLine KeptLine::line() const {
    StepLine line = m_line;
    line.rank = m_rank;
    line.opens = m_opens;
    line.closes = m_closes;
    line.interval = m_interval;
    for (const auto& [key, text] : m_values)
        line.values.push_back({key, text});
    return line;
}

} // namespace trainscope::importers::trainlog
