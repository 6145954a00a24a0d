import QtQuick

// A name that is shortened only where it does not fit.
UiText {
    id: fitting

    required property string full
    required property string brief

    text: metrics.advanceWidth <= width ? full : brief
    elide: Text.ElideMiddle

    TextMetrics {
        id: metrics

        font: fitting.font
        text: fitting.full
    }
}
