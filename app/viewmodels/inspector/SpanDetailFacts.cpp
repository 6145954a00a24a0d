#include "app/viewmodels/inspector/SpanDetailFacts.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/TextOf.h"
#include "core/model/HarmlessText.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

#include <array>
#include <optional>

namespace trainscope::app {
namespace {

struct KnownKey {
    const char* key;
    const char* label;
    const char* unit; // "": as it stands
};
constexpr std::array<KnownKey, 22> kKnown{{
    {"Collective name", "Collective", ""},
    {"In msg nelems", "Elements in", "n"},
    {"Out msg nelems", "Elements out", "n"},
    {"dtype", "Data type", ""},
    {"Group size", "Group size", ""},
    {"Process Group Name", "Group", ""},
    {"Process Group Description", "Group purpose", ""},
    {"Process Group Ranks", "Group ranks", ""},
    {"Input Dims", "Shapes in", "dims"},
    {"Input type", "Types in", "values"},
    {"Input Strides", "Strides in", "dims"},
    {"Concrete Inputs", "Values in", "values"},
    {"Output Dims", "Shapes out", "dims"},
    {"Output type", "Types out", "values"},
    {"Input Tensors", "Tensors in", "tensors"},
    {"Output Tensors", "Tensors out", "tensors"},
    {"bytes", "Bytes", "B"},
    {"memory bandwidth (GB/s)", "Bandwidth, GB/s", ""},
    {"grid", "Grid", "×"},
    {"block", "Block", "×"},
    {"registers per thread", "Registers per thread", ""},
    {"shared memory", "Shared memory", "B"},
}};

QString plainText(const QJsonValue& value, const QString& separator) {
    if (value.isString())
        return value.toString();
    if (value.isBool())
        return value.toBool() ? QStringLiteral("yes") : QStringLiteral("no");
    if (value.isArray()) {
        QStringList parts;
        for (const auto& part : value.toArray())
            parts.append(plainText(part, separator));
        return parts.join(separator);
    }
    if (value.isDouble())
        return decimalText(value.toDouble(), 'g', 15);
    return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
}

// "512 × 12, 12 × 18"; of what has no shape, a dash.
QString shapesText(const QJsonValue& shapes) {
    QStringList parts;
    for (const auto& shape : shapes.toArray()) {
        const QJsonArray sizes = shape.toArray();
        if (!sizes.isEmpty() && sizes.first().isArray()) // a list of tensors
            parts.append(QStringLiteral("(%1)").arg(shapesText(shape)));
        else
            parts.append(sizes.isEmpty() ? QString::fromUtf8("–")
                                         : plainText(shape, QString::fromUtf8(" × ")));
    }
    return parts.join(QStringLiteral(", "));
}

// A missing value has a dash, so that places tell the input.
QString placesText(const QJsonValue& values) {
    QStringList parts;
    for (const auto& value : values.toArray()) {
        const QString text = plainText(value, QStringLiteral(" "));
        parts.append(text.isEmpty() ? QString::fromUtf8("–") : text);
    }
    return parts.join(QStringLiteral(", "));
}

// Reads [tensor, storage, offset, elements, bytes of each, device].
QString tensorsText(const QJsonValue& tensors) {
    QStringList parts;
    for (const auto& tensor : tensors.toArray()) {
        const QJsonArray values = tensor.toArray();
        if (values.size() < 5)
            continue;
        const double bytes = values[3].toDouble() * values[4].toDouble();
        parts.append(QStringLiteral("%1 in storage %2, %3")
                         .arg(plainText(values[0], {}), plainText(values[1], {}),
                             metricText("bytes", bytes, "B")));
    }
    return parts.join(QStringLiteral("; "));
}

QString valueText(const QJsonValue& value, const QString& unit) {
    if (unit == QLatin1String("dims"))
        return shapesText(value);
    if (unit == QLatin1String("values"))
        return placesText(value);
    if (unit == QLatin1String("tensors"))
        return tensorsText(value);
    if (unit == QLatin1String("B") && value.isDouble())
        return metricText("bytes", value.toDouble(), "B");
    if (unit == QLatin1String("n") && value.isDouble())
        return wholeText(static_cast<std::int64_t>(value.toDouble()));
    return plainText(
        value, unit == QString::fromUtf8("×") ? QStringLiteral(" × ") : QStringLiteral(", "));
}

// Bytes of one element of PyTorch's and NCCL's type names.
std::optional<int> elementBytes(const QString& dtype) {
    struct Type {
        const char* name;
        int bytes;
    };
    constexpr std::array<Type, 12> kTypes{{{"BFloat16", 2}, {"Half", 2}, {"Float", 4},
        {"Double", 8}, {"Byte", 1}, {"Char", 1}, {"Bool", 1}, {"Short", 2}, {"Int", 4}, {"Long", 8},
        {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}}};
    for (const auto& type : kTypes) {
        if (dtype.compare(QLatin1String(type.name), Qt::CaseInsensitive) == 0)
            return type.bytes;
    }
    return std::nullopt;
}

void addMessageSize(const QJsonObject& object, std::vector<Fact>& facts) {
    const auto bytes = elementBytes(object.value(QLatin1String("dtype")).toString());
    const QJsonValue elements = object.value(QLatin1String("In msg nelems"));
    if (bytes && elements.isDouble())
        facts.push_back(
            {QStringLiteral("Message"), metricText("bytes", elements.toDouble() * *bytes, "B")});
}

// Escapes of JSON may spell what the text itself may not hold.
QString shown(const QString& text) {
    return QString::fromStdString(harmlessLine(text.toStdString()));
}

QJsonObject objectOf(std::string_view detail) {
    return QJsonDocument::fromJson(QByteArray(detail.data(), static_cast<qsizetype>(detail.size())))
        .object();
}

} // namespace

std::vector<Fact> detailFacts(std::string_view detail) {
    QJsonObject object = objectOf(detail);
    std::vector<Fact> facts;
    for (const auto& known : kKnown) {
        const QString key = QString::fromLatin1(known.key);
        if (!object.contains(key))
            continue;
        facts.push_back({textOf(known.label),
            shown(valueText(object.value(key), QString::fromUtf8(known.unit)))});
        if (key == QLatin1String("Collective name"))
            addMessageSize(object, facts);
    }
    for (const auto& known : kKnown)
        object.remove(QString::fromLatin1(known.key));
    for (auto it = object.begin(); it != object.end(); ++it)
        facts.push_back({shown(it.key()), shown(plainText(it.value(), QStringLiteral(", ")))});
    return facts;
}

std::string collectiveName(std::string_view detail) {
    return objectOf(detail).value(QLatin1String("Collective name")).toString().toStdString();
}

} // namespace trainscope::app
