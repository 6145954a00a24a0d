#pragma once
// Rows of data-driven tests, and texts in any of the types that they come in.
//
//     const auto row = columns<QString, double>("unit", "value");
//     row("watts", "W", 412.3);

#include <QTest>

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace trainscope::test {

// The texts of a list, a line each.
template <typename Text>
std::string bytesOf(const Text& text) {
    if constexpr (std::convertible_to<Text, std::string_view>) {
        return std::string(std::string_view(text));
    } else if constexpr (requires { text.front().c_str(); }) {
        std::string lines;
        for (const std::string& line : text)
            lines += line + '\n';
        return lines;
    } else if constexpr (std::same_as<Text, QByteArray>)
        return text.toStdString();
    else
        return QString(text).toStdString();
}

// A list of texts: texts("--run", name).
template <typename... Texts>
QStringList texts(const Texts&... all) {
    return {QString::fromStdString(bytesOf(all))...};
}

template <typename Column, typename Value>
Column asColumn(const Value& value) {
    if constexpr (std::same_as<Column, QString> && !std::same_as<Value, QString>)
        return QString::fromStdString(bytesOf(value));
    else if constexpr (std::same_as<Column, QByteArray> && std::same_as<Value, std::string>)
        return QByteArray::fromStdString(value);
    else
        return static_cast<Column>(value);
}

template <typename... Columns>
struct Rows {
    void operator()(const std::string& name, const Columns&... cells) const {
        (QTest::newRow(name.c_str()) << ... << cells);
    }
    template <typename... Values>
    void operator()(const std::string& name, const Values&... values) const {
        static_assert(sizeof...(Values) == sizeof...(Columns), "a value for each column");
        QTestData& row = QTest::newRow(name.c_str());
        ((row << asColumn<Columns>(values)), ...);
    }
};

// Rows that are named by their first cell, a text.
template <typename First, typename... Others>
struct KeyedRows {
    void operator()(const std::string& first, const Others&... cells) const {
        Rows<First, Others...>()(first, asColumn<First>(first), cells...);
    }
    template <typename... Values>
    void operator()(const std::string& first, const Values&... values) const {
        Rows<First, Others...>()(first, first, values...);
    }
};

// Declares the columns of a test's data; the answer adds rows.
template <typename... Columns, typename... Names>
Rows<Columns...> columns(const Names&... names) {
    static_assert(sizeof...(Names) == sizeof...(Columns), "a name for each column");
    (QTest::addColumn<Columns>(names), ...);
    return {};
}
template <typename... Columns, typename... Names>
KeyedRows<Columns...> keyed(const Names&... names) {
    static_cast<void>(columns<Columns...>(names...));
    return {};
}

inline std::string insteadOf(double value, double expected) {
    return QStringLiteral("%1 instead of %2").arg(value, 0, 'g', 12).arg(expected).toStdString();
}

} // namespace trainscope::test

// Fails where the text lacks the part, and shows the text.
#define VERIFY_SAYS(Text, Part)                                                                    \
    do {                                                                                           \
        const std::string textThatSays = trainscope::test::bytesOf(Text);                          \
        QVERIFY2(textThatSays.find(trainscope::test::bytesOf(Part)) != std::string::npos,          \
            textThatSays.c_str());                                                                 \
    } while (false)
// Fails where there is a value, or where the message of the error lacks the part.
#define VERIFY_FAILS(Made, Part)                                                                   \
    do {                                                                                           \
        QVERIFY(!(Made).hasValue());                                                               \
        VERIFY_SAYS((Made).error().message, Part);                                                 \
    } while (false)

// Fails where the value is that far from the expected one, and shows both.
#define VERIFY_NEAR(Value, Expected, Within)                                                       \
    QVERIFY2(std::abs((Value) - (Expected)) < (Within),                                            \
        trainscope::test::insteadOf(static_cast<double>(Value), static_cast<double>(Expected))     \
            .c_str())
// The same by the share of the expected one.
#define VERIFY_RATIO(Value, Expected, Within)                                                      \
    QVERIFY2(std::abs((Value) / (Expected)-1.0) < (Within),                                        \
        trainscope::test::insteadOf(static_cast<double>(Value), static_cast<double>(Expected))     \
            .c_str())
