#pragma once
// A sink whose GPUs are of the model that the user says, whatever their source recorded. All else
// goes through. One thread.

#include "core/model/Import.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace trainscope::app {

class SaidGpuSink final : public Sink {
public:
    // An empty model changes nothing. `inner` must outlive this.
    SaidGpuSink(Sink& inner, std::string model)
        : m_inner(inner)
        , m_model(std::move(model)) { }

    Result<RunId> run(const Run& run) override { return m_inner.run(run); }
    Status gpu(RunId run, const Gpu& gpu) override {
        Gpu said = gpu;
        if (!m_model.empty())
            said.model = m_model;
        return m_inner.gpu(run, said);
    }
    Result<SeriesId> series(RunId run, const SeriesDescription& description) override {
        return m_inner.series(run, description);
    }
    Status samples(
        SeriesId series, std::span<const TimeNs> times, std::span<const double> values) override {
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

private:
    Sink& m_inner;
    std::string m_model;
};

} // namespace trainscope::app
