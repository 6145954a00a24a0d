// `ipmitool sensor`, `sdr` and `dcmi power reading`.
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/Cells.h"
#include "importers/common/Number.h"
#include "importers/meters/MeterReader.h"

#include <cmath>

namespace trainscope::importers::meters {

namespace {

// Tables of sensors, and blocks of dcmi, one after the other; dates between them are theirs.
class IpmiReader final : public MeterReader {
public:
    Status take(std::string_view line, MeterLog& log) override {
        const std::string_view plain = trimmed(line);
        if (const auto stamp = stampIn(plain)) {
            m_times.setStamp(stamp);
            RETURN_IF_ERROR(givePower(log));
            return giveDcmi(log);
        }
        if (plain.find('|') != std::string_view::npos)
            return takeSensor(plain, log);
        return takeDcmi(plain, log);
    }
    Status finish(MeterLog& log) override {
        RETURN_IF_ERROR(givePower(log));
        return giveDcmi(log);
    }

private:
    // Stamp of a line that is a date, or that tells the controller's.
    static std::optional<Stamp> stampIn(std::string_view plain) {
        constexpr std::string_view kName = "IPMI timestamp:";
        if (plain.starts_with(kName)) {
            plain = trimmed(plain.substr(kName.size()));
            plain = trimmed(plain.substr(0, plain.find("Sampling")));
        }
        return parseDateLine(plain);
    }

    Status takeSensor(std::string_view plain, MeterLog& log) {
        const auto cells = words(plain, "|");
        if (cells.size() < 3)
            return {};
        const std::string_view name = trimmed(cells[0]);
        std::string_view text = trimmed(cells[1]);
        std::string_view unit = trimmed(cells[2]);
        // sdr: "344 Watts", in the last cell of elist.
        if (cells.size() == 3 || (!parseNumber(text) && !isMissingText(text))) {
            text = cells.size() >= 5 ? trimmed(cells[4]) : text;
            const std::size_t blank = text.find(' ');
            unit = blank == std::string_view::npos ? std::string_view()
                                                   : trimmed(text.substr(blank));
            text = text.substr(0, blank);
        }
        const auto number = parseNumber(text);
        if (unit == "discrete"
            || (!number && !isMissingText(text) && text != "no" && text != "disabled"))
            return {};
        log.row();
        double value = number.value_or(kMissing);
        if (isFahrenheit(unit))
            value = celsiusOf(value);
        const TimeNs time = m_times.timeOf(std::string(name), log);
        if (isWatts(unit))
            return takeWatts(name, time, value, log);
        return log.add(whose(name, unit), what(name, unit), time, value);
    }

    // The node's power: what a sensor of the whole says, else its supplies together.
    Status takeWatts(std::string_view name, TimeNs time, double watts, MeterLog& log) {
        if (m_power && m_power->time != time)
            RETURN_IF_ERROR(givePower(log));
        const PowerOf of = powerOf(name);
        if (of == PowerOf::Part)
            return log.add(sensor(name), meterSeries("sensor_power", "W"), time, watts);
        if (!m_power)
            m_power = Power{time};
        if (of == PowerOf::Supply) {
            double& sum = m_power->supplies;
            sum = std::isnan(sum) ? watts : sum + (std::isnan(watts) ? 0.0 : watts);
            return log.add(sensor(name), meterSeries("supply_power", "W"), time, watts);
        }
        if (!std::isnan(m_power->whole))
            return log.add(sensor(name), meterSeries("sensor_power", "W"), time, watts);
        m_power->whole = watts;
        return {};
    }

    Status givePower(MeterLog& log) {
        const auto power = std::exchange(m_power, std::nullopt);
        if (!power)
            return {};
        return addMachinePower(
            log, power->time, std::isnan(power->whole) ? power->supplies : power->whole);
    }

    enum class PowerOf { Whole, Supply, Part };
    // "PS1 Input Power", "PSU2_Total_Power" and "Input Power 1" are of one supply.
    static PowerOf powerOf(std::string_view text) {
        std::string name = lowered(text);
        std::replace(name.begin(), name.end(), '_', ' ');
        constexpr std::array<std::string_view, 10> kWhole{"pwr consumption", "total power",
            "sys power", "system power", "power meter", "input power", "chassis power",
            "sysload power", "board power", "total pwr"};
        const bool isWhole = std::any_of(kWhole.begin(), kWhole.end(),
            [&name](std::string_view part) { return name.find(part) != std::string::npos; });
        if (!isWhole)
            return PowerOf::Part;
        const bool isNumbered
            = name.find("input power") != std::string::npos && isDigit(name.back());
        const bool isSupply
            = isNumbered || name.starts_with("ps") || name.starts_with("power supply");
        return isSupply ? PowerOf::Supply : PowerOf::Whole;
    }

    static Who sensor(std::string_view name) {
        Who who = wholeNode();
        who.kind = SubjectKind::Link;
        who.device = name;
        return who;
    }
    static Who whose(std::string_view name, std::string_view unit) {
        const bool isInlet = containsIgnoringCase(name, "inlet");
        return isDegrees(unit) && isInlet ? wholeNode() : sensor(name);
    }
    static bool isWatts(std::string_view unit) { return containsIgnoringCase(unit, "watt"); }
    static bool isDegrees(std::string_view unit) { return containsIgnoringCase(unit, "degree"); }

    static SeriesDescription what(std::string_view name, std::string_view unit) {
        if (isDegrees(unit))
            return meterSeries(
                containsIgnoringCase(name, "inlet") ? "inlet_temperature" : "sensor_temperature",
                "C");
        if (containsIgnoringCase(unit, "rpm"))
            return meterSeries("fan_rotation", "1/min");
        if (containsIgnoringCase(unit, "volt"))
            return meterSeries("sensor_voltage", "V");
        if (containsIgnoringCase(unit, "amp"))
            return meterSeries("sensor_current", "A");
        return ownMeterSeries("sensor", containsIgnoringCase(unit, "percent") ? "%" : unit);
    }

    // "Instantaneous power reading:   220 Watts"; its time comes behind it.
    Status takeDcmi(std::string_view plain, MeterLog& log) {
        const std::size_t colon = plain.find(':');
        if (colon == std::string_view::npos)
            return {};
        const std::string_view name = trimmed(plain.substr(0, colon));
        if (name == "Power reading state is")
            return giveDcmi(log);
        if (name != "Instantaneous power reading")
            return {};
        RETURN_IF_ERROR(giveDcmi(log));
        const auto value = parseCell(trimmed(plain.substr(colon + 1)), CellForm::Number);
        m_watts = value ? value->number : kMissing;
        return {};
    }
    Status giveDcmi(MeterLog& log) {
        if (!m_watts)
            return {};
        const double watts = *std::exchange(m_watts, std::nullopt);
        log.row();
        return addMachinePower(log, m_times.timeOf("dcmi", log), watts);
    }

    struct Power {
        TimeNs time;
        double whole = kMissing;
        double supplies = kMissing; // their sum, of those that tell
    };

    std::optional<Power> m_power; // in the reading under way
    ReadingTimes m_times;
    std::optional<double> m_watts;
};

} // namespace

const MakeMeterReader makeIpmiReader = makeReader<IpmiReader>;

} // namespace trainscope::importers::meters
