#pragma once
// A series of an answer of the Prometheus HTTP API, or a line of VictoriaMetrics' export:
// {"metric": {"__name__": …}, "value": [t, "v"]}, {…, "values": [[t, "v"], …]}, {…, "values": [v,
// …], "timestamps": [t, …]}. A taker has label(name, value) and sample(time, value), both as
// written, which says whether it is one.

#include "importers/common/JsonCursor.h"

#include <algorithm>

namespace trainscope::importers {

template <typename Taker>
bool readAnsweredLabels(JsonCursor& json, Taker& taker) {
    std::string name;
    std::string value;
    json.beginObject();
    while (json.nextMember(name)) {
        if (!json.string(value))
            return false;
        taker.label(name, value);
    }
    return json.isGood();
}

template <typename Taker>
bool readAnsweredSample(JsonCursor& json, Taker& taker) {
    std::string_view time;
    std::string_view value;
    return json.beginArray() && json.nextElement() && json.scalar(time) && json.nextElement()
        && json.scalar(value) && !json.nextElement() && json.isGood() && taker.sample(time, value);
}

// False where the object is damaged or ends early; what came before was taken.
template <typename Taker>
bool readAnsweredSeries(JsonCursor& json, Taker& taker) {
    std::string key;
    std::vector<std::string_view> values; // without their times
    std::vector<std::string_view> times;
    json.beginObject();
    while (json.nextMember(key)) {
        const bool isList = key == "values" || key == "timestamps";
        bool isRead = key == "metric" ? readAnsweredLabels(json, taker)
            : key == "value"          ? readAnsweredSample(json, taker)
            : isList                  ? json.beginArray()
                                      : json.skip();
        while (isRead && isList && json.nextElement()) {
            if (json.peek() == '[')
                isRead = readAnsweredSample(json, taker);
            else
                isRead = json.scalar((key == "values" ? values : times).emplace_back());
        }
        if (!isRead)
            return false;
    }
    for (std::size_t i = 0; i < std::min(values.size(), times.size()); ++i)
        taker.sample(times[i], values[i]);
    return json.isGood();
}

} // namespace trainscope::importers
