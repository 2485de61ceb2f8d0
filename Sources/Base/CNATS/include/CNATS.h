// The functions of libnats that StoreShell calls, found when the library is opened. No program is linked to libnats, so one that
// shares no store starts without it and runs where it is not installed.
//
// The declarations carry over the interface of libnats 3: opaque types, numbers and strings only, no structure whose layout could
// change.

#ifndef CNATS_H
#define CNATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct __natsOptions CNATSOptions;
typedef struct __natsConnection CNATSConnection;
typedef struct __natsSubscription CNATSSubscription;
typedef struct __natsMsg CNATSMessage;

/// A status of libnats; 0 is success.
typedef uint32_t CNATSStatus;

enum {
  CNATS_OK = 0,
  CNATS_NO_SERVER = 6,
  CNATS_SECURE_CONNECTION_WANTED = 8,
  CNATS_SECURE_CONNECTION_REQUIRED = 9,
  CNATS_CONNECTION_AUTH_FAILED = 11,
  CNATS_NOT_PERMITTED = 12,
  CNATS_MAX_PAYLOAD = 22,
  CNATS_INSUFFICIENT_BUFFER = 23,
  CNATS_TIMEOUT = 26,
  CNATS_SSL_ERROR = 29,
  CNATS_NO_RESPONDERS = 34,
};

typedef void (*CNATSMessageHandler)(
    CNATSConnection *connection, CNATSSubscription *subscription, CNATSMessage *message, void *context);
typedef void (*CNATSConnectionHandler)(CNATSConnection *connection, void *context);
typedef void (*CNATSErrorHandler)(
    CNATSConnection *connection, CNATSSubscription *_Nullable subscription, CNATSStatus status, void *context);
typedef void (*CNATSCompletionHandler)(void *context);

// Each function: its result, its name in libnats, its parameters.
#define CNATS_FUNCTIONS(FUNCTION)                                                                                         \
  FUNCTION(const char *_Nonnull, natsStatus_GetText, (CNATSStatus status))                                                        \
  FUNCTION(const char *_Nullable, nats_GetLastError, (CNATSStatus *_Nullable status))                                     \
  FUNCTION(CNATSStatus, natsOptions_Create, (CNATSOptions *_Nullable *_Nonnull options))                                  \
  FUNCTION(void, natsOptions_Destroy, (CNATSOptions *options))                                                            \
  FUNCTION(CNATSStatus, natsOptions_SetServers,                                                                           \
           (CNATSOptions *options, const char *_Nullable *_Nonnull servers, int count))                                   \
  FUNCTION(CNATSStatus, natsOptions_SetName, (CNATSOptions *options, const char *name))                                   \
  FUNCTION(CNATSStatus, natsOptions_SetTimeout, (CNATSOptions *options, int64_t milliseconds))                            \
  FUNCTION(CNATSStatus, natsOptions_SetSecure, (CNATSOptions *options, bool isSecure))                                    \
  FUNCTION(CNATSStatus, natsOptions_LoadCATrustedCertificates, (CNATSOptions *options, const char *path))                 \
  FUNCTION(CNATSStatus, natsOptions_LoadCertificatesChain,                                                                \
           (CNATSOptions *options, const char *certificate, const char *key))                                             \
  FUNCTION(CNATSStatus, natsOptions_SetUserCredentialsFromFiles,                                                          \
           (CNATSOptions *options, const char *path, const char *_Nullable seed))                                         \
  FUNCTION(CNATSStatus, natsOptions_SetMaxReconnect, (CNATSOptions *options, int count))                                  \
  FUNCTION(CNATSStatus, natsOptions_SetReconnectWait, (CNATSOptions *options, int64_t milliseconds))                      \
  FUNCTION(CNATSStatus, natsOptions_SetReconnectBufSize, (CNATSOptions *options, int bytes))                              \
  FUNCTION(CNATSStatus, natsOptions_SetPingInterval, (CNATSOptions *options, int64_t milliseconds))                       \
  FUNCTION(CNATSStatus, natsOptions_SetMaxPingsOut, (CNATSOptions *options, int count))                                   \
  FUNCTION(CNATSStatus, natsOptions_SetSendAsap, (CNATSOptions *options, bool sendsAtOnce))                               \
  FUNCTION(CNATSStatus, natsOptions_SetWriteDeadline, (CNATSOptions *options, int64_t milliseconds))                      \
  FUNCTION(CNATSStatus, natsOptions_SetErrorHandler,                                                                      \
           (CNATSOptions *options, CNATSErrorHandler handler, void *context))                                             \
  FUNCTION(CNATSStatus, natsOptions_SetDisconnectedCB,                                                                    \
           (CNATSOptions *options, CNATSConnectionHandler handler, void *context))                                        \
  FUNCTION(CNATSStatus, natsOptions_SetReconnectedCB,                                                                     \
           (CNATSOptions *options, CNATSConnectionHandler handler, void *context))                                        \
  FUNCTION(CNATSStatus, natsOptions_SetClosedCB,                                                                          \
           (CNATSOptions *options, CNATSConnectionHandler handler, void *context))                                        \
  FUNCTION(CNATSStatus, natsConnection_Connect,                                                                           \
           (CNATSConnection *_Nullable *_Nonnull connection, CNATSOptions *options))                                      \
  FUNCTION(void, natsConnection_Close, (CNATSConnection *connection))                                                     \
  FUNCTION(void, natsConnection_Destroy, (CNATSConnection *connection))                                                   \
  FUNCTION(int64_t, natsConnection_GetMaxPayload, (CNATSConnection *connection))                                          \
  FUNCTION(CNATSStatus, natsConnection_HasHeaderSupport, (CNATSConnection *connection))                                   \
  FUNCTION(CNATSStatus, natsConnection_GetLastError,                                                                      \
           (CNATSConnection *connection, const char *_Nullable *_Nonnull text))                                           \
  FUNCTION(CNATSStatus, natsConnection_FlushTimeout, (CNATSConnection *connection, int64_t milliseconds))                 \
  FUNCTION(CNATSStatus, natsConnection_PublishMsg, (CNATSConnection *connection, CNATSMessage *message))                  \
  FUNCTION(CNATSStatus, natsConnection_RequestMsg,                                                                        \
           (CNATSMessage *_Nullable *_Nonnull reply, CNATSConnection *connection, CNATSMessage *request,                  \
            int64_t milliseconds))                                                                                        \
  FUNCTION(CNATSStatus, natsConnection_Subscribe,                                                                         \
           (CNATSSubscription *_Nullable *_Nonnull subscription, CNATSConnection *connection, const char *subject,        \
            CNATSMessageHandler handler, void *context))                                                                  \
  FUNCTION(CNATSStatus, natsSubscription_SetOnCompleteCB,                                                                 \
           (CNATSSubscription *subscription, CNATSCompletionHandler handler, void *context))                              \
  FUNCTION(CNATSStatus, natsSubscription_SetPendingLimits, (CNATSSubscription *subscription, int messages, int bytes))    \
  FUNCTION(CNATSStatus, natsSubscription_Unsubscribe, (CNATSSubscription *subscription))                                  \
  FUNCTION(void, natsSubscription_Destroy, (CNATSSubscription *subscription))                                             \
  FUNCTION(CNATSStatus, natsMsg_Create,                                                                                   \
           (CNATSMessage *_Nullable *_Nonnull message, const char *subject, const char *_Nullable reply,                  \
            const void *_Nullable data, int length))                                                                      \
  FUNCTION(void, natsMsg_Destroy, (CNATSMessage *message))                                                                \
  FUNCTION(const char *_Nonnull, natsMsg_GetSubject, (const CNATSMessage *message))                                               \
  FUNCTION(const char *_Nullable, natsMsg_GetReply, (const CNATSMessage *message))                                        \
  FUNCTION(const char *_Nullable, natsMsg_GetData, (const CNATSMessage *message))                                         \
  FUNCTION(int, natsMsg_GetDataLength, (const CNATSMessage *message))                                                     \
  FUNCTION(CNATSStatus, natsMsgHeader_Set, (CNATSMessage *message, const char *key, const char *value))                   \
  FUNCTION(CNATSStatus, natsMsgHeader_Get,                                                                                \
           (CNATSMessage *message, const char *key, const char *_Nullable *_Nonnull value))

/// The functions of an opened libnats.
typedef struct CNATSFunctions {
#define CNATS_MEMBER(result, name, parameters) result (*_Nonnull name) parameters;
  CNATS_FUNCTIONS(CNATS_MEMBER)
#undef CNATS_MEMBER
} CNATSFunctions;

/// Opens a library and finds the functions. The library stays open until the process ends: its threads run in it.
///
/// False: the reason stands in `reason`, ended by a zero.
bool cnats_open(const char *library, CNATSFunctions *functions, char *reason, size_t size);

#pragma clang assume_nonnull end

#endif
