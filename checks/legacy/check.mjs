// Proves that the readers of hardware-aes-gcm/legacy read what the packages of npm write: checks/run.mjs legacy
//
// Texts at random are sealed by @47ng/cloak, cryptr, typeorm-encrypted (with typeorm) and @boringnode/encryption themselves, and opened
// here. Changed texts, planted on purpose, must be refused. AESGCM_SEED repeats the texts, not the nonces. Installs the packages from
// npm into the user's cache, at versions that stand here. Takes about 20 seconds after the first time.
export default {
  about: 'Old formats are read as their own libraries write them',
  needs: ['build'],
  random: true,
  // After the build, without which there is no package.
  prove: async () => (await import('./exchange.mjs')).exchange(),
}
