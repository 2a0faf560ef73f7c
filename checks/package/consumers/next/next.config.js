// A server whose folder has all that it needs, as images of containers have it.
process.env.NEXT_TELEMETRY_DISABLED = '1'

module.exports = {
  output: 'standalone',
  outputFileTracingRoot: __dirname,
  serverExternalPackages: ['hardware-aes-gcm'],
}
