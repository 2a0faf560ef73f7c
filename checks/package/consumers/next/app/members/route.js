// Answers with the session, to which the recipe for a proxy lets nobody else come.
import { session } from '../../session.mjs'

export function GET(request) {
  return Response.json(session.read(request))
}
