// The names of the targets: those of fuzz/src/targets/mod.rs, and those of checks/fuzz/typescript.

export const RUST = 'gcm xaes siv pieces batches ranges chunks packets shares texts'.split(' ')
export const TYPESCRIPT = ['sessions', 'streams', 'share-texts', 'arguments']
