import QtQuick
import Trainscope
import Trainscope.App

// The reports of everything in the open database, whenever they were imported.
UiSheet {
    id: sheet

    required property Session session

    title: "Import report"
    subtitle: session.reports.headline

    function show() {
        sheet.open();
        sheet.session.readReports();
    }

    ImportReportView {
        anchors.fill: parent
        report: sheet.session.reports
    }
    buttons: [
        Row {
            spacing: Theme.spaceS

            UiButton {
                iconName: "copy"
                text: "Copy as text"
                onClicked: sheet.session.copyText(sheet.session.reports.text())
            }
            UiButton {
                primary: true
                focus: true
                text: "Close"
                onClicked: sheet.close()
            }
        }
    ]
}
