// An npm registry on localhost that has our tarballs and nothing else, so that an install goes as on a user's machine.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

/** Serves tarballs. Every other name is a 404: a dependency that we do not pack cannot be installed. */
export async function serve(tarballs) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url.slice(1)).replace(/\.tgz$/, '')
    const tarball = tarballs.find(({ manifest }) => manifest.name === name)
    if (tarball === undefined) response.writeHead(404).end('{}')
    else if (request.url.endsWith('.tgz')) response.end(tarball.compressed)
    else response.end(JSON.stringify(describe(tarball, `${url}/${name}.tgz`)))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  return { url, close: () => server.close() }
}

/** A registry's answer about a package: its package.json, its tarball's address and the hash of the tarball. */
function describe({ compressed, manifest }, tarball) {
  const integrity = `sha512-${createHash('sha512').update(compressed).digest('base64')}`
  return {
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist: { tarball, integrity } } },
  }
}
