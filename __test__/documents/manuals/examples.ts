// What the examples of the manuals need, and what holds after each: code, run in the same scope.
interface Example {
  before?: string
  /** An expression that is true after the example. */
  holds: string
}

const FRAME = "const frame = aes.encrypt(Buffer.from('attack at dawn')), target = Buffer.alloc(100);"
const HALF = "const frame = Buffer.alloc(40), message = Buffer.from('twelve bytes');"
const DETACHED = 'const data = Buffer.from("attack"), nonce = Buffer.alloc(12);'
const SEALED = `${DETACHED} const tag = Buffer.alloc(16); aes.encryptDetached(data, nonce, tag);`
const ROWS = "const ids = ['a', 'b'], rows = [Buffer.from('one'), Buffer.from('two')];"
const FRAMES = 'const frames = Buffer.alloc(2 * 92); aes.encryptBatchInPlace(frames, 92);'
/** Whether a service gave its pair of functions. */
const WRAPS = "typeof wrap === 'function' && typeof unwrap === 'function'"
/** The least of clients of key services. */
const CLIENT = `
  const { signal: abortSignal } = new AbortController(), input = {}, wrapped = key;
  const client = {
    encrypt: async () => ({ CiphertextBlob: 1 }), decrypt: async () => ({ Plaintext: 2 }),
    wrapKey: async () => ({ result: 5 }), unwrapKey: async () => ({ result: 6 }) };`
const CLIENT_OF_GOOGLE = `
  const request = {}, timeout = 1;
  const client = { encrypt: async () => [{ ciphertext: 3 }], decrypt: async () => [{ plaintext: 4 }] };`
const SHARES = 'const shares = splitKey(key, { threshold: 3, shares: 5 });'
const TEXTS = `${SHARES} const texts = splitKey(key, { threshold: 3, shares: 5, format: 'text' });`
const DATA = "const data = Buffer.from('of any length');"
const PACKET = `
  const connectionId = Buffer.alloc(8), { client } = initialSecrets(VERSION_1, connectionId);
  const sender = new PacketProtection(client), receiver = new PacketProtection(client);
  const [headerLength, packetNumberOffset, packetNumber, largestReceived] = [10, 9, 7, 6];
  const packet = Buffer.concat([Buffer.of(0x40), connectionId, Buffer.from('?attack'), Buffer.alloc(16)]);`
const RUN = `${PACKET} const packets = Buffer.alloc(2400), firstPacketNumber = 7; packets[0] = packets[1200] = 0x40;`
const PEERS = `
  const handshake = new Handshake({ secret, role: 'responder', allowSelf: true }), peer = new Handshake({ secret, role: 'initiator' });
  const peerHello = peer.hello, sent = [];
  const webSocket = { send: (message, done) => { sent.push(message); done?.() }, close: () => sent.push('closed'), on() {} };`
const RECORDS = `${PEERS}
  const other = peer.finish(handshake.hello), { writer, reader } = handshake.finish(peerHello);
  const opened = [], handle = data => opened.push(data.toString()), secretOfAKeyExchange = secret;`
const MESSAGE = "const message = encryptBuffer(Buffer.from('attack at dawn'), key);"
const READER = `${MESSAGE} const reader = await DecryptionReader.open(message, key);`
/** Files of the examples lie in a folder of their own. */
const FILES = `
  const TEXT = Buffer.from('attack at dawn');
  const { createReadStream, createWriteStream, open, encryptFile, decryptFile, writeFileSync, read, opened } = files(key);
  for (const file of ['a', 'backup.tar']) writeFileSync(file, TEXT);`
const SOCKET = "const socket = new PassThrough().on('error', () => {});"

const RING = 'const keyring = Keyring.generate();'
const STORED = `${RING} const stored = keyring.sealText('attack', 'orders/7'), id = keyring.add({ key });`
const ROW = `${RING} const row = { id: 17, token: keyring.sealText('attack', context('users', 'token', 17)) };`
const AVATAR = `${RING} const placeholder = 'none', sealed = keyring.seal(Buffer.from('attack'), 'users/17/avatar');`
const ROTATED = `${RING} const oldId = keyring.keys[0].id; keyring.promote(keyring.add({ key }));`
const PAIR =
  "const ours = PrivateKeyring.generate('X25519-AES-256-GCM'), theirs = PublicKeyring.parse(ours.publicKeyset());"
const PRIVATE = "const keyring = PrivateKeyring.generate('X25519-AES-256-GCM');"
const ADDED = `${PRIVATE} const id = keyring.add('X25519-AES-256-GCM');`
const PUBLIC = `${PAIR} const keyring = theirs;`
const SEALED_TO = `${PAIR} const keyring = ours, sealed = theirs.seal(Buffer.from('attack'), 'orders/7');`
const LINE_TO = `${PAIR} const keyring = ours, row = { line: theirs.sealText('attack', 'audit') };`
const WRAPPED = `${RING} const other = Keyring.generate(), wrapped = await keyring.wrap(bytes => other.seal(bytes));`
const TABLE = `${RING} const indexKey = BlindIndex.generateKey(), id = 17;`
const USERS = `${TABLE}
  const users = encryptedColumns('users', { keyring, rowKey: 'id', indexKey, columns: {
    email: { type: 'text', index: 'email_index', normalizer: text => text.toLowerCase() }, address: 'json' } });
  const row = users.seal({ id, email: 'Ada@example.org' }), rows = [row], placeholder = null;`
/** A cookie, and a request that has it. */
const COOKIES = `${RING} const response = new Headers();
  const session = sealedCookie('session', { keyring, maxAge: 60 });
  session.write(response, { user: 'ada' });
  const request = response.getSetCookie()[0].split(';')[0];`
/** Columns of Drizzle, and a row that a query returns. */
const DRIZZLE = `${TABLE}
  const customType = type => name => ({ ...type, name, unique() { return this } });
  const encrypted = encryptedTable(encryptedColumns('users', { keyring, rowKey: 'id', indexKey, columns: {
    email: { type: 'text', index: 'emailIndex' } } }));
  const stored = value => encrypted.column('email').toDriver(value), users = {};
  const db = { select: () => ({ from: async () => [encrypted.seal({ id, email: 'Ada@example.org' })] }) };`
/** What of Drizzle's database is wrapped. */
const DIALECT = `const pool = {}, schema = {}, made = () => []
  const drizzle = () => ({ dialect: { buildSelectQuery: made, buildUpdateQuery: made, buildInsertQuery: made,
    buildDeleteQuery: made, buildUpdateSet: made, sqlToQuery: made } });`
/** What of Prisma's client an extension meets. */
const PRISMA = `${USERS} const adapter = {}, randomUUID = () => 'ada';
  class PrismaClient {
    _runtimeDataModel = { models: { User: { fields: ['id', 'email', 'email_index', 'address'].map(name => ({ name, kind: 'scalar', type: 'String' })) } } };
    $extends(extension) { return typeof extension === 'function' ? extension(this) : extension }
  }`
const SOURCE = `${USERS}
  let rest = [{ ...row, address: null }];
  const source = {
    read: async () => ({ rows: rest, next: undefined }),
    write: async changes => changes.map(() => true),
    count: async () => [{ prefix: row.email.slice(0, 7), values: rest.length }],
    end: async () => { rest = [] },
  };
  keyring.promote(keyring.add({ key }));`
const SQL = 'const connectionString = "postgres://localhost", url = "mysql://localhost";'
const MODELS = `${USERS}
  const notes = users;
  const model = name => ({ name, tableName: name, refreshAttributes() {}, uniqueKeys: {}, _indexes: [], rawAttributes:
    Object.fromEntries(['id', 'email', 'email_index', 'address'].map(column => [column, { type: { key: 'TEXT' } }])) });
  const sequelize = { models: { User: model('User'), Note: model('Note') }, getDialect: () => 'postgres', getQueryInterface: () => ({}) };`
const ENTITIES = `${USERS}
  const notes = users, url = '', User = 'User';
  const part = name => ({ name, tablePath: name, indices: [], uniques: [], columns: ['id', 'email', 'email_index', 'address'].map(
    databaseName => ({ databaseName, propertyPath: databaseName, type: 'text' })) });
  class DataSource { options = { type: 'postgres' }; isInitialized = true; subscribers = []; driver = {};
    entityMetadatas = [part('User'), part('Note')]; async buildMetadatas() {} async initialize() {}
    createQueryBuilder() { const make = () => Object.create(Object.create({}));
      return Object.assign(make(), { insert: make, update: make, softDelete: make }) } }`
/** Old texts, which node:crypto and the package itself wrote. */
const CLOAK = `
  process.env.CLOAK_MASTER_KEY = 'k1.aesgcm256.fkW0qpBqsL5jDY-tORenouf1mjY8pw_XnYaneHeUa28=';
  const column = 'v1.aesgcm256.6e350aa2.uQik2e1Eu0jmoyvt.h-eW9w09OsfHiGdo93rr-8tUgw6tQntcAWPRxVvLrbDvdgmmE2MxAthaBHBxIMd0';`
const CRYPTR = `
  process.env.CRYPTR_SECRET = 'a secret of the user';
  const column = '434fe48115a8c6565abbce536da758e1700de01090c4569e62aa4a7dbcc23677bccea068d9c6d45bca5cfe6e5f57c57b10cde347b7a887fc8f73f12c4795d324' +
    '361bbfa213d0f20cb0296ae283b4d45962da61292e4d6c66d0a6d6b7a8d7dd3477e44aa08a86cebac9830bb9078f3171d087e436f03837959ded88d1094602ba';`
const BORINGNODE = `
  process.env.APP_KEY = 'averylongrandom32charslongkey!!!';
  const column = 'app.v1:J7CF6UDc8j-13Q0jUIDiNtVQOcKzuHkBYRUVysuwjGcl4PrDPmmLhGuU3ItyNw.CWWpMIyKfouQUPAs.Qd1Rvit3eg4wkXb577meaw';`
const TYPEORM = `
  process.env.KEY = '10'.repeat(32);
  const column = 'eOi0BxmnAjpmzqYa39nQGhEytf3uJJ1RxbGrR83mVK3CbNN+FjrWeLhpMtxCx7m0ik215zbaz0MpFLjS6h5y4w==';`
const LAYOUT = `
  const frame = aes.encrypt(Buffer.from('attack')), hex = (from, to) => frame.toString('hex', from, to);
  const column = [hex(0, 12), hex(18), hex(12, 18)].join(':');`
const OLD = "text === 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'"

/** The examples by symbol. A test holds this table to the manuals. */
export const EXAMPLES: Record<string, Example> = {
  'TextReader.tryOpen': {
    before: 'const openOld = text => text.slice(4);',
    holds: "reader.tryOpen('old:x') === 'x' && reader.tryOpen('x') === null",
  },
  encryptedModels: { before: PRISMA, holds: "'email' in prisma.result.user" },
  fieldValue: {
    before: 'let sent; const id = 17, prisma = { user: { update: async args => { sent = args } } };',
    holds: "sent.data.notes.likes[0] === 'maths'",
  },
  PrivateKeyring: {
    before: `${PAIR} process.env.PRIVATE_KEYSET = ours.export(); const sealed = theirs.seal(Buffer.from('attack'), 'orders/7');`,
    holds: "plaintext.toString() === 'attack'",
  },
  'PrivateKeyring.generate': { holds: "keyring.keys[0].type === 'X25519-AES-256-GCM'" },
  'PrivateKeyring.parse': {
    before: `${PAIR} process.env.PRIVATE_KEYSET = ours.export();`,
    holds: 'keyring.export() === ours.export()',
  },
  'PrivateKeyring.unwrap': {
    before: `${PAIR} const other = Keyring.generate(), file = await ours.wrap(bytes => other.seal(bytes)), readFile = async () => file;`,
    holds: 'keyring.export() === ours.export()',
  },
  'PrivateKeyring.keys': {
    before: `${PRIVATE} const lines = [], console = { log: (...line) => lines.push(line) };`,
    holds: "lines[0].join() === [keyring.keys[0].id, 'enabled', true].join()",
  },
  'PrivateKeyring.open': { before: SEALED_TO, holds: "plaintext.toString() === 'attack'" },
  'PrivateKeyring.tryOpen': { before: SEALED_TO, holds: "plaintext.toString() === 'attack'" },
  'PrivateKeyring.openText': { before: LINE_TO, holds: "line === 'attack'" },
  'PrivateKeyring.tryOpenText': { before: LINE_TO, holds: "line === 'attack'" },
  'PrivateKeyring.publicKeyset': {
    before: `${PRIVATE} let file; const writeFile = async (_, text) => { file = text };`,
    holds: 'PublicKeyring.parse(file).keys.length === 1',
  },
  'PrivateKeyring.add': { before: PRIVATE, holds: 'keyring.keys[1].id === id' },
  'PrivateKeyring.promote': { before: ADDED, holds: 'keyring.keys[1].primary' },
  'PrivateKeyring.enable': {
    before: `${ADDED} keyring.disable(id);`,
    holds: "keyring.keys[1].status === 'enabled'",
  },
  'PrivateKeyring.disable': {
    before: `${ADDED} const oldId = id;`,
    holds: "keyring.keys[1].status === 'disabled'",
  },
  'PrivateKeyring.delete': { before: `${ADDED} const oldId = id;`, holds: 'keyring.keys.length === 1' },
  'PrivateKeyring.export': {
    before: `${PRIVATE} let file; const writeFile = async (_, text) => { file = text };`,
    holds: 'PrivateKeyring.parse(file).keys.length === 1',
  },
  'PrivateKeyring.wrap': {
    before: `${PRIVATE} const other = Keyring.generate();`,
    holds: '(await PrivateKeyring.unwrap(encrypted, bytes => other.open(bytes))).keys.length === 1',
  },
  'PrivateKeyring.destroy': { before: PRIVATE, holds: 'keyring.destroyed' },
  PublicKeyring: {
    before: `${PAIR} process.env.PUBLIC_KEYSET = theirs.export(); const readFile = async () => Buffer.from('attack');`,
    holds: "ours.open(sealed, 'uploads/17').toString() === 'attack'",
  },
  'PublicKeyring.parse': {
    before: `${PAIR} process.env.PUBLIC_KEYSET = theirs.export();`,
    holds: 'keyring.export() === theirs.export()',
  },
  'PublicKeyring.keys': {
    before: `${PUBLIC} const lines = [], console = { log: (...line) => lines.push(line) };`,
    holds: "lines[0][1] === 'X25519-AES-256-GCM'",
  },
  'PublicKeyring.seal': {
    before: `${PUBLIC} const body = Buffer.from('attack');`,
    holds: "ours.open(sealed, 'webhooks/payments').toString() === 'attack'",
  },
  'PublicKeyring.sealText': {
    before: `${PUBLIC} const event = { id: 7 };`,
    holds: "JSON.parse(ours.openText(line, 'audit')).id === 7",
  },
  'PublicKeyring.export': {
    before: `${PUBLIC} const lines = [], console = { log: line => lines.push(line) };`,
    holds: 'lines[0] === ours.publicKeyset()',
  },

  Keyring: {
    before: RING,
    holds: "keyring.openText(renewed, 'orders/7') === 'attack at dawn' && keyring.keyIdOf(renewed) === id",
  },
  'Keyring.generate': { holds: "keyring.keys[0].type === 'XAES-256-GCM'" },
  'Keyring.parse': {
    before: `${RING} const keys = keyring.export(); process.env.KEYSET = keys;`,
    holds: 'keyring.export() === process.env.KEYSET',
  },
  'Keyring.unwrap': {
    before: `${WRAPPED} const readFile = async () => wrapped, DecryptCommand = class { constructor(input) { this.input = input } };
      const kms = { send: async ({ input }) => ({ Plaintext: other.open(input.CiphertextBlob) }) };`,
    holds: 'keyring.keys.length === 1',
  },
  'Keyring.constructor': {
    before: 'const [newKey, oldKey, veryOld] = [0, 0, 0].map(() => AesGcm.generateKey());',
    holds: 'keyring.keys.length === 3',
  },
  'Keyring.seal': {
    before: `${RING} const readFile = async () => Buffer.from('attack');`,
    holds: "keyring.open(sealed, 'users/17/avatar').toString() === 'attack'",
  },
  'Keyring.open': { before: AVATAR, holds: "avatar.toString() === 'attack'" },
  'Keyring.tryOpen': { before: AVATAR, holds: "avatar.toString() === 'attack'" },
  'Keyring.sealText': {
    before: `${RING} const token = 'attack';`,
    holds: "keyring.openText(stored, context('users', 'token', 17)) === 'attack'",
  },
  'Keyring.openText': { before: ROW, holds: "token === 'attack'" },
  'Keyring.tryOpenText': {
    before: `${RING} const request = { cookies: { session: keyring.sealText('attack', 'session') } }, newSession = () => 'new';`,
    holds: "session === 'attack'",
  },
  'Keyring.sealJwe': {
    before: `${RING} const exp = 1;`,
    holds: "JSON.parse(keyring.openJwe(token, { typ: 'session+jwt' })).exp === 1",
  },
  'Keyring.openJwe': {
    before: `${RING} const token = keyring.sealJwe('{"sub":"17"}', { typ: 'session+jwt' });`,
    holds: "claims.sub === '17'",
  },
  'Keyring.tryOpenJwe': {
    before: `${RING} const token = keyring.sealJwe('x', { typ: 'session+jwt' });`,
    holds: "payload.toString() === 'x' && keyring.tryOpenJwe(token) === null",
  },
  'Keyring.keyIdOf': {
    before: `const keyring = new Keyring([{ id: 3735928559, key }]), stored = keyring.sealText('x');`,
    holds: 'keyring.keyIdOf(stored) === 3735928559',
  },
  'Keyring.needsRotation': {
    before: `${ROW} keyring.promote(keyring.add({ key })); let renewed; const update = (id, text) => { renewed = text };`,
    holds: '!keyring.needsRotation(renewed)',
  },
  'Keyring.rotate': {
    before: `${STORED} keyring.promote(id); const legacyReader = { tryOpen: () => null };`,
    holds: "keyring.openText(renewed, 'orders/7') === 'attack'",
  },
  'Keyring.keys': {
    before: `${RING} const console = { log: () => {} };`,
    holds: 'keyring.keys.length === 1',
  },
  'Keyring.counts': {
    before: `${RING} let said; const console = { warn: text => { said = text } };
      keyring.tryOpenText(Keyring.generate().sealText('x'));`,
    holds: "said === 'this process lacks a key'",
  },
  'Keyring.replace': {
    before: `${RING} const old = keyring.sealText('x'), newer = Keyring.parse(keyring.export());
      newer.promote(newer.add({ key })); const readFile = async () => newer.export();`,
    holds: "keyring.keys.length === 2 && keyring.needsRotation(old) && keyring.openText(old) === 'x'",
  },
  'FollowOptions.load': {
    before: "const fetch = async () => ({ text: async () => 'a keyset' });",
    holds: "(await load({ signal: null })) === 'a keyset'",
  },
  'FollowedKeyset.refresh': {
    before:
      'let asked = 0; const followed = { refresh: () => asked++ }, process = { on: (name, listen) => listen() };',
    holds: 'asked === 1',
  },
  'FollowedKeyset.close': {
    before: `${RING} const followed = await followKeyset({ load: () => keyring.export() });`,
    holds: '(await followed.refresh()) === false',
  },
  followKeyset: {
    before: `const fs = process.getBuiltinModule('node:fs'), folder = fs.mkdtempSync(process.getBuiltinModule('node:os').tmpdir() + '/follow-');
      process.env.KEYSET_FILE = folder + '/keys.json'; fs.writeFileSync(process.env.KEYSET_FILE, Keyring.generate().export());`,
    holds:
      "keyring.openText(keyring.sealText('x')) === 'x' && fs.rmSync(folder, { recursive: true }) === undefined",
  },
  'Keyring.add': { before: RING, holds: 'keyring.keys[1].id === id' },
  'Keyring.promote': { before: STORED, holds: 'keyring.keys[1].primary' },
  'Keyring.enable': {
    before: `${STORED} keyring.disable(id);`,
    holds: "keyring.keys[1].status === 'enabled'",
  },
  'Keyring.disable': { before: ROTATED, holds: "keyring.keys[0].status === 'disabled'" },
  'Keyring.delete': { before: ROTATED, holds: 'keyring.keys.length === 1' },
  'Keyring.export': {
    before: `${RING} let file; const writeFile = async (name, text) => { file = text };`,
    holds: 'Keyring.parse(file).keys.length === 1',
  },
  'Keyring.wrap': {
    before: `${RING} const other = Keyring.generate();`,
    holds: '(await Keyring.unwrap(encrypted, bytes => other.open(bytes))).keys.length === 1',
  },
  'Keyring.destroy': { before: RING, holds: 'keyring.destroyed' },
  context: {
    before: `${RING} const token = 'x', row = { id: 17 };`,
    holds: 'keyring.keys[0].messagesEncrypted === 1',
  },
  BlindIndex: {
    before: `const indexKey = BlindIndex.generateKey(), email = 'A@b.c', asked = [], db = { prepare: () => ({ get: index => asked.push(index) }) };`,
    holds: "asked[0] === index.of('a@b.c')",
  },
  'BlindIndex.generateKey': { holds: 'indexKey.length === 32' },
  'BlindIndex.constructor': {
    before: "process.env.INDEX_KEY = Buffer.alloc(32, 7).toString('base64');",
    holds: 'index.bits === 64',
  },
  'BlindIndex.of': {
    before: "const index = new BlindIndex(key, { purpose: 'x' });",
    holds: "index.of('a').length === 22",
  },
  'BlindIndex.destroy': {
    before: "const index = new BlindIndex(key, { purpose: 'x' });",
    holds: 'index.destroyed',
  },
  AesGcm: { holds: "aes.decrypt(frame).toString() === 'attack at dawn'" },
  'AesGcm.isAvailable': { holds: 'AesGcm.isAvailable()' },
  'AesGcm.generateKey': { holds: 'key.length === 32' },
  'AesGcm.constructor': { before: "process.env.KEY = '07'.repeat(16);", holds: 'aes.keyBits === 128' },
  'Aead.encrypt': { holds: "aes.decrypt(frame).toString() === 'attack at dawn'" },
  'Aead.decrypt': { before: FRAME, holds: "plaintext.toString() === 'attack at dawn'" },
  'Aead.tryDecrypt': {
    before: `${FRAME} const cookie = frame.toString('base64url');`,
    holds: "opened.toString() === 'attack at dawn'",
  },
  'Aead.encryptInto': {
    before: `${FRAME} const plaintext = key, sent = [], socket = { write: bytes => sent.push(bytes) };`,
    holds: 'aes.decrypt(sent[0]).equals(key)',
  },
  'Aead.decryptInto': { before: FRAME, holds: "plaintext.toString() === 'attack at dawn'" },
  'Aead.tryDecryptInto': { before: FRAME, holds: 'bytes === 14' },
  'Aead.encryptInPlace': { holds: 'aes.decrypt(frame).length === 1024' },
  'Aead.decryptInPlace': { before: FRAME, holds: "plaintext.toString() === 'attack at dawn'" },
  'Aead.tryDecryptInPlace': {
    before: `${FRAME} const opened = [], handle = plaintext => opened.push(plaintext.toString());`,
    holds: "opened[0] === 'attack at dawn'",
  },
  'Aead.plaintextOf': { before: HALF, holds: 'aes.decrypt(frame).equals(message)' },
  'Aead.encryptDetached': {
    before: DETACHED,
    holds: "aes.decryptDetached(data, nonce, tag) === undefined && data.toString() === 'attack'",
  },
  'Aead.decryptDetached': { before: SEALED, holds: "data.toString() === 'attack'" },
  'Aead.tryDecryptDetached': { before: SEALED, holds: "data.toString() === 'attack'" },
  'Aead.encryptInPlaceAsync': {
    before: `${HALF} const sent = [], socket = { write: bytes => sent.push(bytes) };`,
    holds: 'aes.decrypt(sent[0]).equals(Buffer.alloc(12))',
  },
  'Aead.decryptInPlaceAsync': {
    before: `${FRAME} const readFile = async () => frame;`,
    holds: "opened.toString() === 'attack at dawn'",
  },
  'Aead.encryptBatch': {
    before: ROWS,
    holds: "aes.decrypt(frames[1], Buffer.from('b')).toString() === 'two'",
  },
  'Aead.decryptBatch': {
    before: `${ROWS} const frames = rows.map((row, i) => aes.encrypt(row, Buffer.from(ids[i])));`,
    holds: "plaintexts.join() === 'one,two'",
  },
  'Aead.tryDecryptBatch': {
    before: `${ROWS} const frames = [aes.encrypt(rows[0]), rows[1]];`,
    holds: "plaintexts[0].toString() === 'one' && plaintexts[1] === null",
  },
  'Aead.encryptBatchInPlace': {
    holds: 'aes.messagesEncrypted === 1000 && aes.decrypt(frames.subarray(-92)).equals(Buffer.alloc(64))',
  },
  'Aead.decryptBatchInPlace': {
    before: FRAMES,
    holds: 'aes.plaintextOf(frames.subarray(0, 92)).equals(Buffer.alloc(64))',
  },
  'Aead.tryDecryptBatchInPlace': {
    before: `${FRAMES} frames[100] ^= 1; const warnings = [], console = { warn: text => warnings.push(text) };`,
    holds: "failed[0] === 1 && warnings[0] === '1 frames were refused'",
  },
  'Aead.destroy': { holds: 'aes.destroyed' },
  KeyArena: { holds: 'arena.capacity === 1000 && aes.destroyed' },
  'KeyArena.constructor': { holds: 'arena.capacity === 1000' },
  'KeyArena.destroy': { before: 'const arena = new KeyArena({ keys: 1 });', holds: 'arena.destroyed' },
  randomBytes: { holds: 'token.length === 43' },
  randomFillSync: { before: 'const buffer = Buffer.alloc(32);', holds: 'buffer.some(byte => byte !== 0)' },
  reseed: { holds: "randomInfo().lastSeed.cause === 'reseed'" },
  randomInfo: { holds: 'randomInfo().seedings > 0 || randomInfo().copyDetection.vm !== null' },
  DiagnosticsMessages: {
    before: `const heard = [], console = { warn: limit => heard.push(limit) };
      const spent = () => new AesGcm(key, { maxMessages: 0 }).encrypt(key);`,
    holds: "(() => { try { spent() } catch { return heard.join() === 'encryptions' } })()",
  },
  cpu: { holds: 'cpu().backends[0] === backend' },
  initialSecrets: {
    before: 'const destinationConnectionId = Buffer.alloc(8);',
    holds: 'client.length === 32 && server.length === 32',
  },
  retryIntegrityTag: {
    before: `const originalDestinationConnectionId = Buffer.alloc(8), dropped = [], drop = packet => dropped.push(packet);
      const packet = Buffer.alloc(50);`,
    holds: 'tag.length === 16 && dropped.length === 1',
  },
  PacketProtection: {
    before: `const connectionId = Buffer.alloc(8), headerLength = 13, packet = Buffer.alloc(60); packet[0] = 0x43;`,
    holds: 'sender.packetsSealed === 1 && receiver.failedOpens === 0',
  },
  'PacketProtection.constructor': {
    before: 'const serverTrafficSecret = Buffer.alloc(48);',
    holds: 'receiver.keyBits === 256',
  },
  'PacketProtection.seal': {
    before: PACKET,
    holds: 'receiver.open(packet, packetNumberOffset, 6) === packetNumber',
  },
  'PacketProtection.sealRun': {
    before: RUN,
    holds: "receiver.openRun(packets, 1200, 9, 6).join() === '7,8'",
  },
  'PacketProtection.open': {
    before: `${PACKET} sender.seal(packet, headerLength, packetNumber);`,
    holds: "number === 7 && payload.toString() === 'attack'",
  },
  'PacketProtection.openRun': {
    before: `${RUN} sender.sealRun(packets, 1200, headerLength, firstPacketNumber);`,
    holds: "numbers.join() === '7,8'",
  },
  'PacketProtection.headerProtectionMask': {
    before: `${PACKET} const sample = Buffer.alloc(16);`,
    holds: 'mask.length === 5',
  },
  'PacketProtection.nextKeys': { before: PACKET, holds: 'next.keyPhase === 1 && sender.destroyed' },
  'PacketProtection.dropPreviousKeys': {
    before: `${PACKET} let calls = 0; const probeTimeout = 1, setTimeout = call => { calls++; call() };`,
    holds: 'calls === 1',
  },
  'PacketProtection.destroy': { before: PACKET, holds: 'receiver.destroyed' },
  supportedCiphers: { holds: "ciphers[0] === 'aes-256-gcm'" },
  negotiateCipher: { before: 'const peerCiphers = supportedCiphers();', holds: "cipher === 'aes-256-gcm'" },
  // __test__/protocols/session/garbage.test.ts runs it.
  SecureStream: {
    before: `${SOCKET} const connect = () => socket, console = { log() {}, error() {} };`,
    holds: "stream.unpipe().destroy().listenerCount('error') === 1",
  },
  'SecureStream.constructor': {
    before: SOCKET,
    holds: "stream.on('error', () => {}).destroy().destroyed",
  },
  'SecureStream.rekey': {
    before: `const [one, two] = pair();
      const peer = secureStream(two, { secret, role: 'responder', allowSelf: true });
      const stream = secureStream(one, { secret, role: 'initiator' });`,
    holds:
      'stream.stats.sent.epochs === 2 && peer.destroy() && stream.on("error", () => {}).destroy().destroyed',
  },
  secureStream: { before: SOCKET, holds: "stream.on('error', () => {}).destroy().destroyed" },
  Handshake: {
    // A hello as of another process.
    before: `${PEERS} let session; peerHello[6] ^= 1;`,
    holds: "sent.length === 1 && session.cipher === 'aes-256-gcm'",
  },
  'Handshake.constructor': { holds: 'handshake.hello.length > 40' },
  'Handshake.finish': { before: PEERS, holds: 'writer.stats.records === 0 && reader.ended === false' },
  'Handshake.destroy': {
    before: `${PEERS} webSocket.on = (name, listener) => listener();`,
    holds:
      "(() => { try { handshake.finish(peerHello) } catch (error) { return error.code === 'ERR_INVALID_STATE' } })()",
  },
  'RecordWriter.seal': {
    before: RECORDS,
    holds: "other.reader.open(sent[0]).join() === 'attack at dawn'",
  },
  'RecordWriter.rekey': { before: RECORDS, holds: 'other.reader.open(sent[0]).length === 0' },
  'RecordWriter.end': {
    before: RECORDS,
    holds: "other.reader.open(sent[0]).length === 0 && other.reader.ended && sent[1] === 'closed'",
  },
  'RecordWriter.destroy': {
    before: RECORDS,
    holds:
      "(() => { try { writer.seal(key) } catch (error) { return error.code === 'ERR_AESGCM_DESTROYED' } })()",
  },
  'RecordReader.open': {
    before: `${RECORDS} const message = other.writer.seal(Buffer.from('attack at dawn'));`,
    holds: "opened.join() === 'attack at dawn'",
  },
  'RecordReader.rekey': {
    before: `${RECORDS} reader.open(Buffer.concat([other.writer.rekey(secret), other.writer.seal(Buffer.from('later'))]));`,
    holds: "opened.join() === 'later'",
  },
  'RecordReader.destroy': {
    before: RECORDS,
    holds:
      "(() => { try { reader.open(key) } catch (error) { return error.code === 'ERR_AESGCM_DESTROYED' } })()",
  },
  protectKey: {
    before: "const passphrase = 'x'; let text; const writeFile = async (_, written) => { text = written };",
    holds: '(await openProtectedKey(text, passphrase)).length === 32',
  },
  openProtectedKey: {
    before:
      "const passphrase = 'x', text = await protectKey(secret, passphrase, { memory: 2 ** 20 }), readFile = async () => text;",
    holds: 'key.equals(secret)',
  },
  passphraseWrapping: {
    before: `${RING} const passphrase = 'x';`,
    holds: 'same.keys.length === 1',
  },
  'AwsKms.encrypt': { before: CLIENT, holds: 'CiphertextBlob === 1' },
  'AwsKms.decrypt': { before: CLIENT, holds: 'Plaintext === 2' },
  'GoogleKms.encrypt': { before: CLIENT_OF_GOOGLE, holds: 'ciphertext === 3' },
  'GoogleKms.decrypt': { before: CLIENT_OF_GOOGLE, holds: 'plaintext === 4' },
  'AzureKeyVault.wrapKey': { before: CLIENT, holds: 'result === 5' },
  'AzureKeyVault.unwrapKey': { before: CLIENT, holds: 'result === 6' },
  awsKms: { before: 'const KMS = class { encrypt() {} decrypt() {} };', holds: WRAPS },
  googleKms: {
    before: "const KeyManagementServiceClient = class { encrypt() {} decrypt() {} }, name = 'k';",
    holds: WRAPS,
  },
  azureKeyVault: { before: 'const client = { wrapKey() {}, unwrapKey() {} };', holds: WRAPS },
  vaultTransit: { before: "const address = 'https://vault', token = 't';", holds: WRAPS },
  splitKey: { holds: 'combineKey(shares.slice(2)).equals(key)' },
  'splitKey#2': { holds: "combineKey(shares.slice(2)).equals(key) && shares[0].startsWith('AGS1-')" },
  'splitKey#3': { before: "const format = 'text';", holds: 'combineKey(shares.slice(2)).equals(key)' },
  combineKey: {
    before: `const [original, shares] = [key, splitKey(key, { threshold: 3, shares: 5 })];`,
    holds: 'key.equals(original)',
  },
  recoverShare: { before: SHARES, holds: 'second.equals(shares[1])' },
  'recoverShare#2': { before: TEXTS, holds: 'second === texts[1]' },
  'recoverShare#3': {
    before: `${SHARES} const texts = [recoverShare(shares.slice(0, 3), 1)];`,
    holds: 'second.equals(shares[1])',
  },
  sealAndSplit: { before: DATA, holds: 'combineAndOpen(shares.slice(1), sealed).equals(data)' },
  'sealAndSplit#2': { before: DATA, holds: 'combineAndOpen(shares.slice(1), sealed).equals(data)' },
  'sealAndSplit#3': {
    before: `${DATA} const format = 'text';`,
    holds: 'combineAndOpen(shares.slice(1), sealed).equals(data)',
  },
  combineAndOpen: {
    before:
      "const { sealed, shares } = sealAndSplit(Buffer.from('of any length'), { threshold: 2, shares: 3 });",
    holds: "data.toString() === 'of any length'",
  },
  AesGcmSiv: { holds: "siv.decrypt(frame).toString() === 'attack at dawn'" },
  'AesGcmSiv.isAvailable': { holds: 'AesGcmSiv.isAvailable()' },
  'AesGcmSiv.generateKey': { holds: 'key.length === 32' },
  'AesGcmSiv.constructor': { before: "process.env.KEY = '07'.repeat(32);", holds: 'siv.keyBits === 256' },
  XAesGcm: { holds: "xaes.decrypt(frame).toString() === 'attack at dawn'" },
  'XAesGcm.isAvailable': { holds: 'XAesGcm.isAvailable()' },
  'XAesGcm.generateKey': { holds: 'key.length === 32' },
  'XAesGcm.constructor': { before: "process.env.KEY = '07'.repeat(32);", holds: 'xaes.keyBits === 256' },
  createEncryptStream: { before: FILES, holds: "opened('a.enc') === TEXT.toString()" },
  createDecryptStream: {
    before: `${FILES} writeFileSync('a.enc', encryptBuffer(TEXT, key));`,
    holds: "read('a.part') === TEXT.toString()",
  },
  encryptFile: {
    before: FILES,
    holds: "opened('backup.tar.enc', 'backup of 2026-11-23') === TEXT.toString()",
  },
  decryptFile: {
    before: `${FILES} writeFileSync('backup.tar.enc', encryptBuffer(TEXT, key, { context: 'backup of 2026-11-23' }));`,
    holds: "read('restored.tar') === TEXT.toString()",
  },
  DecryptionReader: {
    before: `${FILES} writeFileSync('film.enc', encryptBuffer(Buffer.alloc(3_000_000, 7), key));`,
    holds: 'part.equals(Buffer.alloc(1_000_000, 7))',
  },
  'DecryptionReader.open': {
    before: `${MESSAGE} const size = message.length, download = (at, length) => message.subarray(at, at + length);`,
    holds: "(await reader.read()).toString() === 'attack at dawn'",
  },
  'DecryptionReader.read': { before: READER, holds: "last.toString() === 'attack at dawn'" },
  'DecryptionReader.stream': {
    before: `${READER} const [start, end] = [0, 6];`,
    holds: "(await response.text()) === 'attack'",
  },
  'DecryptionReader.destroy': {
    before: READER,
    holds: "(await reader.read().catch(error => error.code)) === 'ERR_AESGCM_DESTROYED'",
  },
  'Source.read': {
    before: MESSAGE,
    holds: "(await (await DecryptionReader.open(source, key)).read()).toString() === 'attack at dawn'",
  },
  EncryptionStream: {
    before: "const blob = new Blob(['attack at dawn']);",
    holds:
      "decryptBuffer(Buffer.from(await new Response(body).arrayBuffer()), key).toString() === 'attack at dawn'",
  },
  'EncryptionStream.constructor': {
    holds: 'readable instanceof ReadableStream && writable instanceof WritableStream',
  },
  DecryptionStream: {
    before: `${MESSAGE} const response = new Response(message);`,
    holds: "(await new Response(text).text()) === 'attack at dawn'",
  },
  'DecryptionStream.constructor': {
    holds: 'readable instanceof ReadableStream && writable instanceof WritableStream',
  },
  encryptedSize: { before: 'const size = 5;', holds: "headers['Content-Length'] === '77'" },
  decryptedSize: { holds: 'size === 5' },
  encryptedRange: { holds: 'start === 56 && end === 32_856' },
  encryptBuffer: { holds: "decryptBuffer(message, key).toString() === 'attack at dawn'" },
  decryptBuffer: { before: MESSAGE, holds: "text === 'attack at dawn'" },
  'RowSource.read': { before: SOURCE, holds: 'rows.length === 1 && next === undefined' },
  'RowSource.write': { before: `${SOURCE} const sealed = 'x';`, holds: 'isWritten' },
  'RowSource.count': { before: SOURCE, holds: 'counts[0].values === 1' },
  'RowSource.isTemporary': { before: `${SOURCE} const error = new Error();`, holds: 'mayTryAgain === false' },
  'RowSource.end': { before: SOURCE, holds: 'rest.length === 0' },
  rotateColumns: {
    before: `${SOURCE} const pool = {}, postgresqlRows = () => ({ ...source, count: () => [] });`,
    holds: 'done',
  },
  countColumns: {
    before: SOURCE.replace('let rest', 'let all').replaceAll('rest', 'all'),
    holds: 'rest === 2',
  },
  postgresqlRows: {
    before: `${SQL} const Pool = class { query() {} connect() {} totalCount = 0 };`,
    holds: "typeof source.read === 'function'",
  },
  mysqlRows: {
    before: `${SQL} const createPool = () => ({ getConnection() {} });`,
    holds: "typeof source.read === 'function'",
  },
  sqliteRows: {
    before: 'const DatabaseSync = class { exec() {} prepare() {} };',
    holds: "typeof source.read === 'function'",
  },
  encryptedSequelize: { before: MODELS, holds: 'db === sequelize' },
  encryptedEntities: { before: ENTITIES, holds: 'source.subscribers.length === 1' },
  sealedCookie: { before: RING, holds: "session.name === '__Host-session'" },
  ironSessionCookie: {
    before: "const process = { env: { SESSION_PASSWORD: 'a'.repeat(32) } };",
    holds: "fallback.name === 'sid'",
  },
  nextAuthCookie: {
    before: "const process = { env: { NEXTAUTH_SECRET: 'secret' } };",
    holds: "fallback.name === '__Secure-next-auth.session-token'",
  },
  'OldCookie.tryOpen': {
    before: "const verified = text => text === 'ada', userOf = text => text;",
    holds: "old.tryOpen('ada').user === 'ada' && old.tryOpen('eve') === undefined",
  },
  'OldCookie.startedAt': {
    before: 'const opened = text => ({ since: Number(text) });',
    holds: "old.startedAt(old.tryOpen('7'), '7') === 7",
  },
  'SealedCookie.read': { before: COOKIES, holds: "user === 'ada'" },
  'SealedCookie.write': { before: COOKIES, holds: 'response.getSetCookie().length === 1' },
  'SealedCookie.renew': { before: COOKIES, holds: "user === 'ada'" },
  'SealedCookie.clear': { before: COOKIES, holds: "response.getSetCookie()[0].includes('; Max-Age=0;')" },
  encryptedColumns: { before: TABLE, holds: "users.lookup('email', ' A').length === 1" },
  'EncryptedColumns.seal': {
    before: USERS,
    holds: "users.open({ id, email, email_index }).email === 'ada@example.org'",
  },
  'EncryptedColumns.open': { before: USERS, holds: "user.email === 'Ada@example.org'" },
  'EncryptedColumns.tryOpen': { before: USERS, holds: "user.email === 'Ada@example.org'" },
  'EncryptedColumns.openAll': { before: USERS, holds: "all[0].email === 'Ada@example.org'" },
  'EncryptedColumns.lookup': { before: USERS, holds: 'index === row.email_index' },
  'EncryptedColumns.condition': {
    before: USERS,
    holds: 'sql.startsWith(\'ALTER TABLE users ADD CHECK (length("email")\')',
  },
  'EncryptedTable.column': { before: DRIZZLE, holds: "email.dataType() === 'text'" },
  'EncryptedTable.index': { before: DRIZZLE, holds: "emailIndex.name === 'email_index'" },
  'EncryptedTable.seal': { before: DRIZZLE, holds: 'values.id === id && stored(values.email).length > 43' },
  'EncryptedTable.lookup': { before: DRIZZLE, holds: 'terms.length === 1' },
  encryptedTable: { before: TABLE, holds: "encrypted.column('email').dataType() === 'text'" },
  guarded: { before: DIALECT, holds: 'db.dialect.buildUpdateSet().length === 0' },
  opened: { before: DRIZZLE, holds: "rows[0].email === 'Ada@example.org'" },
  'EncryptedColumns.length': { before: USERS, holds: "sql === 'ALTER TABLE users ADD email VARCHAR(399)'" },
  'LegacyReader.open': {
    before: `${CLOAK} const reader = cloakReader(process.env.CLOAK_MASTER_KEY);`,
    holds: OLD,
  },
  'LegacyReader.tryOpen': {
    before: `${CLOAK} const reader = cloakReader(process.env.CLOAK_MASTER_KEY);`,
    holds: OLD,
  },
  'LegacyReader.openBytes': {
    before: `${CLOAK} const reader = cloakReader(process.env.CLOAK_MASTER_KEY);`,
    holds: OLD,
  },
  'LegacyReader.tryOpenBytes': {
    before: `${CLOAK} const reader = cloakReader(process.env.CLOAK_MASTER_KEY);`,
    holds: OLD.replaceAll('text', 'bytes.toString()'),
  },
  'LegacyReader.destroy': {
    before: `${CLOAK} const reader = cloakReader(process.env.CLOAK_MASTER_KEY);`,
    holds: 'reader.destroyed',
  },
  layoutReader: { before: LAYOUT, holds: "text === 'attack'" },
  cloakReader: { before: CLOAK, holds: OLD },
  boringnodeReader: { before: BORINGNODE, holds: OLD },
  typeormReader: { before: TYPEORM, holds: OLD },
  cryptrReader: { before: CRYPTR, holds: OLD },
}
