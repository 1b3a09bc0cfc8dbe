#include "ui/qml/components/chat/link_guard.h"

#include "ui/models/blocks/link_text.h"

#include <QDesktopServices>
#include <QUrl>

namespace alcove::ui {

QString LinkGuard::hostOf(const QString& target) const {
    if (allowedLinkTarget(target).isEmpty())
        return {};
    const QUrl url(target, QUrl::StrictMode);
    return url.scheme() == u"mailto" ? url.path() : url.host();
}

bool LinkGuard::agreed(const QString& target) const {
    const QString host = hostOf(target);
    return !host.isEmpty() && m_hosts.contains(host);
}

void LinkGuard::agree(const QString& target) {
    const QString host = hostOf(target);
    if (!host.isEmpty())
        m_hosts.insert(host);
}

bool LinkGuard::open(const QString& target) const {
    return agreed(target) && QDesktopServices::openUrl(QUrl(target, QUrl::StrictMode));
}

} // namespace alcove::ui
