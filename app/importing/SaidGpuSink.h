#pragma once
// A sink whose GPUs are of the model that the user says, whatever their source recorded, and lie in
// the run where the plan puts them; and that notes which series come from when. All else goes
// through. One thread.

#include "app/importing/OtherTimes.h"
#include "core/model/Import.h"
#include "importers/common/Importer.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace trainscope::app {

class SaidGpuSink final : public Sink {
public:
    // An empty model changes nothing. `inner` and `times` must outlive this.
    SaidGpuSink(Sink& inner, std::string model, importers::PlaceInRun place, OtherTimes& times)
        : m_inner(inner)
        , m_model(std::move(model))
        , m_place(place)
        , m_times(times) { }

    Result<RunId> run(const Run& run) override { return m_inner.run(run); }
    Status gpu(RunId run, const Gpu& gpu) override {
        Gpu said = gpu;
        if (!m_model.empty())
            said.model = m_model;
        said.rank += m_place.rank;
        said.node += m_place.node;
        said.local += m_place.local;
        return m_inner.gpu(run, said);
    }
    Result<SeriesId> series(RunId run, const SeriesDescription& description) override {
        m_times.look(run);
        SeriesDescription placed = description;
        if (placed.subject.rank >= 0)
            placed.subject.rank += m_place.rank;
        if (placed.subject.node >= 0)
            placed.subject.node += m_place.node;
        auto made = m_inner.series(run, placed);
        if (made.hasValue())
            m_times.add(run, made.value(), placed);
        return made;
    }
    Status samples(
        SeriesId series, std::span<const TimeNs> times, std::span<const double> values) override {
        m_times.add(series, times);
        return m_inner.samples(series, times, values);
    }
    Status counterBits(SeriesId series, int bits) override {
        return m_inner.counterBits(series, bits);
    }
    Result<TrackId> track(RunId run, const TrackDescription& description) override {
        return m_inner.track(run, description);
    }
    Status spans(TrackId track, std::span<const Span> spans) override {
        return m_inner.spans(track, spans);
    }
    Result<NameId> intern(std::string_view text) override { return m_inner.intern(text); }
    Status iteration(RunId run, const Iteration& iteration) override {
        return m_inner.iteration(run, iteration);
    }
    Status capture(RunId run, const Capture& capture) override {
        return m_inner.capture(run, capture);
    }

private:
    Sink& m_inner;
    std::string m_model;
    importers::PlaceInRun m_place;
    OtherTimes& m_times;
};

} // namespace trainscope::app
