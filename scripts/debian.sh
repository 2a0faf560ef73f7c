# shellcheck shell=bash
# Debian's packages for x64 and arm64, to be unpacked without root: sourced.

# Has apt use lists of packages apart from the machine's, which do not include arm64: FOLDER
package_lists() {
  mkdir -p "$1/lists/partial"
  export APT_CONFIG=$1/apt.conf
  cat >"$APT_CONFIG" <<CONF
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "root";
Dir::State::Lists "$1/lists";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
CONF
  apt-get update -qq >&2
}
