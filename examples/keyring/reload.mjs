// Four processes that take newer keysets while they answer requests: node reload.mjs [KEYSET FILE] [MILLISECONDS]
//
//   GET /seal?text=…    a sealed value
//   GET /open?text=…    its text; 401 if it does not open
//
// Each process follows the file by itself, and prints what it has. checks/reload changes the file under load.
import cluster from 'node:cluster'
import { createServer } from 'node:http'
import { argv, pid } from 'node:process'
import { context, followKeyset } from 'hardware-aes-gcm/keyring'

const [file = 'keys.json', interval = '10000'] = argv.slice(2)
const place = context('examples', 'reload')

async function serve() {
  const { keyring } = await followKeyset({
    file,
    interval: Number(interval),
    onChange: report,
    onError: keep,
  })
  const server = createServer(({ url = '/' }, response) => {
    const [path, query] = url.split('?')
    const text = new URLSearchParams(query).get('text') ?? ''
    const answer = path === '/seal' ? keyring.sealText(text, place) : keyring.tryOpenText(text, place)
    response.writeHead(answer === null ? 401 : 200).end(answer)
  })
  server.listen(0, 'localhost', () => console.log(`${pid} listens on ${server.address().port}`))
}

function report({ keys }) {
  const { id } = keys.find(({ primary }) => primary)
  console.log(`${pid} has ${keys.length} keys, and ${id} seals`)
}

function keep(error) {
  console.log(`${pid} keeps its keys: ${error.code}, ${error.message}`)
}

if (cluster.isPrimary) for (let i = 0; i < 4; i++) cluster.fork()
else await serve()
