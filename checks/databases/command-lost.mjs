// The command rotate, whose connection the server ends again and again: it connects again and is done.
import { setTimeout } from 'node:timers/promises'

const KILLS = {
  postgresql: async query => {
    const sql = `SELECT pg_terminate_backend(pid) AS n FROM pg_stat_activity WHERE application_name = 'hardware-aes-gcm rotate'`
    return (await query(sql)).length
  },
  mariadb: async query => {
    const list = await query(
      'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND USER = ?',
      ['app'],
    )
    // One may have ended meanwhile.
    for (const { id } of list) await query(`KILL ${id}`).catch(() => {})
    return list.length
  },
}

/** Ends the connection at random moments until the command is done. Returns how often, and what the command said. */
export async function lost({ database, query }, run) {
  let [kills, isRunning] = [0, true]
  const killing = (async () => {
    while (isRunning) {
      await setTimeout(150 + 250 * Math.random())
      if (isRunning) kills += await KILLS[database](query)
    }
  })()
  const outcome = await run()
  isRunning = false
  await killing
  return { kills, outcome }
}
