# Sourced by the guides in a shell that stands in the repository: . docs/setup.sh
# It needs a platform that was started with `npm start`, and creates a new test account with a key of its own.

BASE=${BASE:-http://localhost:4000}
API=$BASE/api/public/v1
JSON='Content-Type: application/json'

# Prints the last id with a prefix, or what was answered instead: curl ... | pick pay
pick() {
  ANSWERED=$(cat)
  printf '%s\n' "$ANSWERED" | grep -o "$1_[0-9A-Za-z]*" | tail -n 1 | grep . && return
  echo "The answer has no id that begins with $1_: $ANSWERED" >&2
  return 1
}

# Prints the first text field with a name, or what was answered instead: curl ... | field url
field() {
  ANSWERED=$(cat)
  printf '%s\n' "$ANSWERED" | grep -o "\"$1\": *\"[^\"]*" | head -n 1 | sed 's/.*"//' | grep . && return
  echo "The answer has no text field $1: $ANSWERED" >&2
  return 1
}

# The key of the demo's partner, or the one that is set before, and an account with a sub-key that the guides call the API with.
PARTNER_KEY=${PARTNER_KEY:-$(pick tp_sk_partner_test < .platform/demo.json)}
ACCOUNT=$(curl -sS "$API/accounts" -H "Authorization: Bearer $PARTNER_KEY" -H "$JSON" -d '{"legalName": "Corner Shop"}' | pick tpa)
SUB_KEY=$(curl -sS "$API/accounts/$ACCOUNT/api-keys" -H "Authorization: Bearer $PARTNER_KEY" -H "$JSON" -d '{"label": "guide"}' | pick tp_sk_test)
AUTH="Authorization: Bearer $SUB_KEY"
