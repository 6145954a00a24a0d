#include "app/whole/support/ShownNumber.h"

#include <QRegularExpression>
#include <QString>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace trainscope::test {

namespace {

double factorOf(const QString& prefix) {
    static const std::map<QString, double> kFactors{{QStringLiteral("P"), 1e15},
        {QStringLiteral("T"), 1e12}, {QStringLiteral("G"), 1e9}, {QStringLiteral("M"), 1e6},
        {QStringLiteral("k"), 1e3}, {QStringLiteral("m"), 1e-3}, {QStringLiteral("µ"), 1e-6},
        {QStringLiteral("n"), 1e-9}};
    const auto found = kFactors.find(prefix);
    return found == kFactors.end() ? 1.0 : found->second;
}

// A number and its unit, "12.5 GB/s"; a number within a name is none.
const QRegularExpression& pattern() {
    static const QRegularExpression kPattern(
        QStringLiteral(
            "(?<![\\w.\\-])<?([−-]?(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:e[+-]?\\d+)?)"
            "(?:\\s?(?:(?<time>h|min)|(?<prefix>[PTGMkmµn]?)(?<unit>W/s|W|J|Hz|B/s|B|"
            "FLOP/s|FLOP|s|1/s|1/J|/s|/J)|(?<count>[kMGTP])|(?<percent>%)|(?<celsius>°C))"
            "(?![\\w/·]))?(?![\\w])"),
        QRegularExpression::UseUnicodePropertiesOption);
    return kPattern;
}

double stepOf(const QString& digits) {
    const auto exponent = digits.indexOf(QLatin1Char('e'));
    const QString mantissa = digits.left(exponent);
    const auto point = mantissa.indexOf(QLatin1Char('.'));
    const int decimals = point < 0 ? 0 : static_cast<int>(mantissa.size() - point - 1);
    const int power = exponent < 0 ? 0 : digits.mid(exponent + 1).toInt();
    return std::pow(10.0, power - decimals);
}

TextNumber numberOf(const QRegularExpressionMatch& match) {
    QString digits = match.captured(1);
    digits.replace(QChar(0x2212), QLatin1Char('-')).remove(QLatin1Char(','));
    TextNumber found{digits.toDouble(), stepOf(digits), "1", match.captured().toStdString()};
    double factor = factorOf(match.captured(QStringLiteral("prefix")));
    if (const QString time = match.captured(QStringLiteral("time")); !time.isEmpty()) {
        factor = time == QLatin1String("h") ? 3600.0 : 60.0;
        found.unit = "s";
    } else if (const QString unit = match.captured(QStringLiteral("unit")); !unit.isEmpty()) {
        found.unit
            = unit.startsWith(QLatin1Char('/')) ? "1" + unit.toStdString() : unit.toStdString();
    } else if (match.hasCaptured(QStringLiteral("count"))) {
        factor = factorOf(match.captured(QStringLiteral("count")));
    } else if (match.hasCaptured(QStringLiteral("percent"))) {
        factor = 0.01;
    } else if (match.hasCaptured(QStringLiteral("celsius"))) {
        found.unit = "°C";
    }
    found.value *= factor;
    found.step *= factor;
    if (match.captured().startsWith(QLatin1Char('<'))) { // anything from 0 on
        found.step = found.value;
        found.value /= 2.0;
    }
    return found;
}

// "2 min" before "33 s".
bool goesOn(const QRegularExpressionMatch& before, const QRegularExpressionMatch& match) {
    const bool isTime = before.hasCaptured(QStringLiteral("time"))
        && (match.hasCaptured(QStringLiteral("time"))
            || (match.captured(QStringLiteral("unit")) == QLatin1String("s")
                && match.captured(QStringLiteral("prefix")).isEmpty()));
    return isTime && match.capturedStart() == before.capturedEnd() + 1;
}

using Quantity = std::tuple<std::string, std::string, std::string>; // subject, key, window

std::map<Quantity, std::vector<const ShownNumber*>> byQuantity(
    const std::vector<ShownNumber>& numbers) {
    std::map<Quantity, std::vector<const ShownNumber*>> groups;
    for (const ShownNumber& number : numbers)
        groups[{number.subject, number.key, number.window}].push_back(&number);
    return groups;
}

std::string shown(const ShownNumber& number) {
    return number.text.empty() ? fmt::format("{} {:.10g}", number.place, number.value)
                               : fmt::format("{} '{}'", number.place, number.text);
}

} // namespace

void PlaceNumbers::read(const std::string& subject, const std::string& window,
    const std::string& key, const std::string& text, std::string_view unit) {
    for (const TextNumber& number : numbersIn(text)) {
        if (number.unit != unit)
            continue;
        m_all.push_back({m_place, subject, window, key, number.value, number.step, text});
        return;
    }
}

std::vector<TextNumber> numbersIn(const std::string& text) {
    std::vector<TextNumber> found;
    QRegularExpressionMatch before;
    auto matches = pattern().globalMatch(QString::fromStdString(text));
    while (matches.hasNext()) {
        const QRegularExpressionMatch match = matches.next();
        const TextNumber number = numberOf(match);
        if (!found.empty() && goesOn(before, match)) {
            found.back().value += number.value;
            found.back().step = number.step;
            found.back().text += " " + number.text;
        } else {
            found.push_back(number);
        }
        before = match;
    }
    return found;
}

bool agree(double value, double step, double other, double otherStep) {
    constexpr double kOrderOfSums = 1e-9; // sums of other orders differ by that much
    constexpr double kNothing = 1e-13; // left by a difference of shares
    const double open = 0.5 * (step + otherStep) * (1.0 + 1e-6);
    return std::abs(value - other)
        <= open + kNothing + kOrderOfSums * std::max(std::abs(value), std::abs(other));
}

std::string Contradiction::wording() const {
    return fmt::format("{} · {} · {}: {}, but {}", finest.subject, finest.key, finest.window,
        shown(finest), shown(other));
}

std::vector<Contradiction> contradictionsIn(const std::vector<ShownNumber>& numbers) {
    std::vector<Contradiction> found;
    for (const auto& [quantity, group] : byQuantity(numbers)) {
        const ShownNumber& finest = **std::min_element(group.begin(), group.end(),
            [](const ShownNumber* a, const ShownNumber* b) { return a->step < b->step; });
        for (const ShownNumber* number : group) {
            if (!agree(finest.value, finest.step, number->value, number->step))
                found.push_back({finest, *number});
        }
    }
    return found;
}

std::size_t sharedQuantities(const std::vector<ShownNumber>& numbers) {
    const auto groups = byQuantity(numbers);
    return static_cast<std::size_t>(
        std::count_if(groups.begin(), groups.end(), [](const auto& group) {
            std::set<std::string> places;
            for (const ShownNumber* number : group.second)
                places.insert(number->place);
            return places.size() > 1;
        }));
}

} // namespace trainscope::test
